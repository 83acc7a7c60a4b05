//! What crosses the crates: shared helpers of the workspace-wide tests.
