"""The values of a text that can be checked: numbers, dates, identifiers, URLs, quotations."""
