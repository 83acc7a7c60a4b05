// A client on the official TypeScript SDK that walks through the clock example server.
//
//   node client.mjs stdio COMMAND [ARGUMENT…]
//   node client.mjs http URL
//
// PEER_ERA is `auto` (the default), `legacy` or `modern`. Every step prints one line of JSON,
// {"step":"…","ok":true,…facts}, and the exit code is 0 only if all of them are ok.

import process from 'node:process';
import {
  Client,
  ProtocolError,
  StreamableHTTPClientTransport,
  fromJsonSchema,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const STEP_MS = 15_000;
const TOTAL_MS = 90_000;
const MODERN_VERSION = '2026-07-28';

const negotiation = {
  legacy: { mode: 'legacy' },
  modern: { mode: { pin: MODERN_VERSION } },
  auto: { mode: 'auto' },
};

let failed = false;

function report(step, ok, facts = {}) {
  failed ||= !ok;
  process.stdout.write(`${JSON.stringify({ step, ok, ...facts })}\n`);
}

/** The error as facts: a code only if the SDK itself recognised a JSON-RPC error. */
function errorFacts(error) {
  const facts = { error: `${error?.name ?? 'Error'}: ${error?.message ?? error}` };
  if (error instanceof ProtocolError) {
    facts.code = error.code;
    if (error.data !== undefined) facts.data = error.data;
  } else if (error?.data?.status !== undefined) {
    facts.http = error.data.status;
  }
  return facts;
}

async function bounded(promise) {
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${STEP_MS} ms`)), STEP_MS);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs `body`, which answers the facts of a step; its facts may carry their own `ok`. */
async function step(name, body) {
  try {
    report(name, true, await bounded(body()));
    return true;
  } catch (error) {
    report(name, false, errorFacts(error));
    return false;
  }
}

/** Runs `body`, which the server is expected to refuse with a JSON-RPC error. */
async function refused(name, body) {
  try {
    report(name, false, { result: await bounded(body()) });
  } catch (error) {
    const facts = errorFacts(error);
    report(name, typeof facts.code === 'number', facts);
  }
}

function firstText(result) {
  return result.content?.find((block) => block.type === 'text')?.text;
}

/** What an extension method answered, without the members that belong to the protocol. */
function payload(result) {
  const { _meta, resultType, ...rest } = result;
  return rest;
}

function openTransport([kind, target, ...args]) {
  if (kind === 'stdio' && target !== undefined) {
    return new StdioClientTransport({ command: target, args });
  }
  if (kind === 'http' && target !== undefined) {
    return new StreamableHTTPClientTransport(new URL(target));
  }
  process.stderr.write('usage: client.mjs stdio COMMAND [ARGUMENT…] | http URL\n');
  process.exit(2);
}

async function walk(client, transport, progress) {
  const options = { timeout: STEP_MS };

  const connected = await step('connect', async () => {
    await client.connect(transport, options);
    return {
      protocolVersion: client.getNegotiatedProtocolVersion(),
      era: client.getProtocolEra(),
      server: client.getServerVersion()?.name,
    };
  });
  if (!connected) return;

  await step('capabilities', async () => ({ capabilities: client.getServerCapabilities() }));

  await step('tools', async () => {
    const { tools } = await client.listTools(undefined, options);
    return { names: tools.map((tool) => tool.name).sort() };
  });

  await step('call', async () => {
    const call = { name: 'set_alarm', arguments: { label: 'tea-🫖' } };
    const result = await client.callTool(call, options);
    return {
      text: firstText(result),
      structured: result.structuredContent ?? null,
      isError: result.isError ?? false,
      ok: result.isError !== true,
    };
  });

  await step('progress', async () => {
    let callbacks = 0;
    const call = { name: 'countdown', arguments: { from: 3, interval_ms: 1 } };
    progress.length = 0;
    const result = await client.callTool(call, { ...options, onprogress: () => (callbacks += 1) });
    // The SDK forgets a request when its response arrives, before it has delivered a progress
    // notification read in the same chunk. So the list is taken from the wire, and the callback
    // counted on its own.
    return { progress: [...progress], callbacks, text: firstText(result) };
  });

  await refused('unknown-tool', () => client.callTool({ name: 'nope', arguments: {} }, options));

  await step('bad-arguments', async () => {
    try {
      const call = { name: 'countdown', arguments: { from: 'x' } };
      const result = await client.callTool(call, options);
      return { isError: result.isError ?? false, text: firstText(result), ok: result.isError === true };
    } catch (error) {
      if (error instanceof ProtocolError) return errorFacts(error);
      throw error;
    }
  });

  await step('resource', async () => {
    const { resources } = await client.listResources(undefined, options);
    const { contents } = await client.readResource({ uri: 'clock://about' }, options);
    return { uris: resources.map((resource) => resource.uri).sort(), text: contents[0]?.text };
  });

  await refused('missing-resource', () => client.readResource({ uri: 'clock://missing' }, options));

  await step('extension', async () => {
    const anyObject = fromJsonSchema({ type: 'object' });
    const result = await client.request({ method: 'clock/alarms', params: {} }, anyObject, options);
    return { result: payload(result) };
  });

  if (client.getProtocolEra() === 'legacy') {
    await step('ping', async () => {
      await client.ping(options);
      return {};
    });
  }

  await step('close', async () => {
    if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
    await client.close();
    return {};
  });
}

const era = process.env.PEER_ERA || 'auto';
if (!Object.hasOwn(negotiation, era)) {
  process.stderr.write(`PEER_ERA is ${era}, expected legacy, modern or auto\n`);
  process.exit(2);
}

const transport = openTransport(process.argv.slice(2));
const progress = [];
// Kept and called by the SDK next to its own handler.
transport.onmessage = (message) => {
  if (message.method === 'notifications/progress') progress.push(message.params.progress);
};

const client = new Client(
  { name: 'typescript-peer', version: '1.0.0' },
  {
    capabilities: { extensions: { 'com.example/clock': {} } },
    versionNegotiation: { ...negotiation[era], probe: { timeoutMs: STEP_MS } },
  },
);

setTimeout(() => {
  report('watchdog', false, { error: `not finished within ${TOTAL_MS} ms` });
  process.exit(1);
}, TOTAL_MS).unref();

await walk(client, transport, progress);
await client.close().catch(() => {});
process.exit(failed ? 1 : 0);
