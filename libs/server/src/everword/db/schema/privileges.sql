-- No role may call a function that it was not granted.

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA everword FROM PUBLIC;
