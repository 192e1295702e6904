-- Nothing: the number is another's.
SELECT 1;
