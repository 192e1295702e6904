"""The pages, a module for each kind: the calls to Everword and the values of the template."""
