//! Model Context Protocol transports: stdio, in-memory, Streamable HTTP.
