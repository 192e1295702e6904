"""The ways in which candidates are found, behind one interface; `everword_search.fusion` ranks them as one."""
