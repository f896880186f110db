//! What is launched: a file, a module, a test, as the configuration of an adapter.
