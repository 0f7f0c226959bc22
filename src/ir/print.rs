//! Prints functions as text.
