//! The words of the Model Context Protocol: envelope, ids, errors, versions and typed messages.
