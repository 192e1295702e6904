"""How each format is read. These modules are loaded in the parser's process alone."""
