"""Themes: the topics of a namespace, as clusters over the vectors of its memories."""
