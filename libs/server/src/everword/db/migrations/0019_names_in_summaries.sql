-- Every kind of memory is indexed by one statement, which keeps the names of who spoke.

GRANT INSERT ON author_names TO everword_compactor;
