//! Counts of published catalogs, where they are at hand: the environment variable `ALBIREO_TEST_DATA` names their folder.
