//! Model Context Protocol services, extensions, servers and clients.
