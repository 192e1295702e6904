"""The ways in which candidates are found, behind one interface; `everword_search.ranking` ranks them as one."""
