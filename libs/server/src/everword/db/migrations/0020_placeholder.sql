-- Keeps the number for the migration of index changes, which replaces this file.

SELECT;
