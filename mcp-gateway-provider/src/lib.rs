//! The provider half of the gateway WebSocket protocol mcp-gtw-provider/1.
