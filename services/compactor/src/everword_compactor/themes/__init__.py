"""Themes: what a namespace is about, as clusters over the vectors of its memories."""
