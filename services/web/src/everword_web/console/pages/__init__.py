"""The pages, a module each kind: what is asked of Everword, and what the template is given."""
