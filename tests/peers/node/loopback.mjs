// Preloaded with `node --import` into a server that would listen on every interface: it listens on
// the loopback interface instead, and says on which port, so `PORT=0` can be asked for.
//
//   PORT=0 node --import ./loopback.mjs node_modules/…/index.js streamableHttp

import { Server } from 'node:net';

const listen = Server.prototype.listen;

Server.prototype.listen = function (...args) {
  const callback = args.find((arg) => typeof arg === 'function');
  const port = typeof args[0] === 'object' ? args[0].port : args[0];
  this.once('listening', () => {
    process.stderr.write(`listening on http://127.0.0.1:${this.address().port}/mcp\n`);
  });
  return listen.call(this, { port: Number(port ?? 0), host: '127.0.0.1' }, callback);
};
