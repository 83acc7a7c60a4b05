//! Many configured Model Context Protocol servers behind one door, and the program mcp.

pub mod config;
