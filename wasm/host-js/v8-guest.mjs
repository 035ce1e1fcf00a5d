// SPDX-License-Identifier: GPL-2.0-only
//
// v8-guest: one request at a time in a worker thread of host-v8.mjs: compile,
// link, call, digest. Knows no limits; those are the watcher's.
//
// cpu_ns is that of the process around the call (getrusage, so in steps of a
// microsecond) less what the watcher's thread used meanwhile: the guest, and
// threads of V8 that work for it. The digest is SHA-256; other hosts use other hashes, as digests are compared
// within one runtime only.
import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { CodeWriter, unlike } from './v8-code.mjs';

process.emitWarning = () => {}; // node:wasi is experimental; we know
const { WASI } = await import('node:wasi');

const state = new Float64Array(workerData.state);
const codeWriter = new CodeWriter();
const UNLIKE_PER_GC = 16;
let nUnlike = 0;
const PREPARING = 1;
const IN_CALL = 2;
const WASI_VERSIONS = {
	wasi_snapshot_preview1: 'preview1',
	wasi_unstable: 'unstable',
};
const COMPONENT = 0x0001000d; // version and layer of a component

class Failure extends Error {
	constructor(outcome, message) {
		super(message);
		this.outcome = outcome;
	}
}

const cpuUs = () => {
	const u = process.cpuUsage();

	return u.user + u.system;
};

// What the main thread, which watches us, has used so far, as the scheduler
// counts it: right whenever that thread does not run, which is nearly always.
function watcherUs() {
	try {
		const stat = `/proc/self/task/${process.pid}/schedstat`;

		return Number(fs.readFileSync(stat, 'latin1').split(' ')[0]) / 1e3;
	} catch {
		return 0; // a kernel without it
	}
}

function dataBytes() {
	const pages = fs.readFileSync('/proc/self/statm', 'latin1').split(' ');

	return Number(pages[5]) * 4096;
}

// --- before the call -------------------------------------------------------

// V8 says what it was not told to accept in these words.
const LACKS = /enable with|not supported|unsupported|experimental/i;

function compile(r, reply) {
	let bytes;

	try {
		bytes = fs.readFileSync(r.module);
	} catch (e) {
		throw new Failure('unsupported', `cannot read the module: ${e.message}`);
	}
	if (bytes.length >= 8 && bytes.readUInt32LE(4) === COMPONENT)
		throw new Failure('unsupported', 'the file is a component; this runtime takes modules');

	const from = cpuUs();

	try {
		return new WebAssembly.Module(r.artifact ? unlike(bytes) : bytes);
	} catch (e) {
		if (e instanceof RangeError)
			throw new Failure('memory-limit', e.message);
		throw new Failure(LACKS.test(e.message) ? 'unsupported' : 'refused',
			e.message);
	} finally {
		state[3] = cpuUs() - from;
		reply.compile_ns = state[3] * 1000;
	}
}

function openOutput(r) {
	if (r.stdout)
		return fs.openSync(r.stdout, 'w+');
	if (!r.digest)
		return fs.openSync('/dev/null', 'w');

	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'perf-wasm-'));
	const fd = fs.openSync(`${dir}/out`, 'wx+');

	fs.rmSync(dir, { recursive: true });
	return fd;
}

function openInput(r) {
	try {
		return fs.openSync(r.stdin ?? '/dev/null', 'r');
	} catch {
		return fs.openSync('/dev/null', 'r');
	}
}

function makeWasi(r, version, fds) {
	const dirs = r.dirs.map((d) => d.split('::')).map(([h, g]) => [g ?? h, h]);

	return new WASI({
		version,
		args: [path.basename(r.module.toString()), ...r.args],
		env: Object.fromEntries(r.env.map((e) => e.split(/=(.*)/s))),
		preopens: Object.fromEntries(dirs),
		stdin: fds.input,
		stdout: fds.output,
		stderr: fds.output,
		returnOnExit: true,
	});
}

// A result of '0' converts to zero of every numeric type, BigInt included.
const empty = () => '0';

function offer(r, module, fds) {
	const offered = (r.empty_imports ?? '').split(',');
	const all = offered.includes('*');
	const imports = {};
	let wasi = null;

	for (const { module: m, name, kind } of WebAssembly.Module.imports(module)) {
		imports[m] ??= Object.create(null);
		if (kind === 'function' && m in WASI_VERSIONS) {
			wasi ??= makeWasi(r, WASI_VERSIONS[m], fds);
			imports[m][name] = wasi.wasiImport[name];
			if (imports[m][name])
				continue;
		}
		if (kind !== 'function' || !(all || offered.includes(`${m}.${name}`)))
			throw new Failure('link', `wants imports that nobody offers: ${m}.${name} (${kind})`);
		imports[m][name] = empty;
	}
	return { imports, wasi };
}

function instantiate(module, imports) {
	try {
		return new WebAssembly.Instance(module, imports);
	} catch (e) {
		if (e instanceof WebAssembly.LinkError || e instanceof TypeError)
			throw new Failure('link', e.message);
		if (e instanceof RangeError && /memory/i.test(e.message))
			throw new Failure('memory-limit', e.message);
		throw e; // the start function's
	}
}

// --- the call --------------------------------------------------------------

// Both clocks as near to the call as can be. node:wasi is handed a stand-in
// for the instance, so that its own work stays outside.
function timedCall(reply, func) {
	const watcherFromUs = watcherUs();
	const from = process.hrtime.bigint();
	const fromUs = cpuUs();

	try {
		reply.result = func();
	} finally {
		const us = cpuUs() - fromUs;

		reply.wall_ns = Number(process.hrtime.bigint() - from);
		reply.begin_ns = from;
		reply.cpu_ns = Math.round(
			Math.max(0, us - (watcherUs() - watcherFromUs)) * 1000);
	}
}

function call(r, reply, instance, wasi) {
	const func = instance.exports[r.invoke];

	if (typeof func !== 'function')
		throw new Failure('link', `exports no function ${r.invoke}; name another with --invoke`);
	if (func.length)
		throw new Failure('unsupported', `${r.invoke} takes ${func.length} arguments; only functions without are called`);

	const run = () => timedCall(reply, func);
	const memory = instance.exports.memory ??
		new WebAssembly.Memory({ initial: 0 });

	state[2] = dataBytes();
	state[4] = watcherUs();
	state[1] = cpuUs();
	state[0] = IN_CALL;
	try {
		if (wasi)
			reply.exit_code = wasi.start({ exports: { memory, _start: run } });
		else
			run();
	} finally {
		state[0] = PREPARING;
	}
	if (reply.exit_code)
		throw new Failure('exit', `exited with status ${reply.exit_code}`);
}

function judgeException(e) {
	if (e instanceof Failure)
		return e;
	if (e instanceof WebAssembly.RuntimeError)
		return new Failure('trap', e.message);
	if (e instanceof RangeError)
		return new Failure(/memory/i.test(e.message) ? 'memory-limit' : 'trap',
			e.message);
	if (WebAssembly.Exception && e instanceof WebAssembly.Exception)
		return new Failure('trap', 'threw an exception that nothing catches');
	return new Failure('crash', String(e?.message ?? e));
}

// --- after it --------------------------------------------------------------

function addValue(hash, name, value) {
	if (typeof value === 'number' || typeof value === 'bigint')
		hash.update(`${name}=${Object.is(value, -0) ? '-0' : value};`);
}

function addGlobal(hash, name, global) {
	const value = global.value;

	global.value = value; // throws when it is a constant, which tells nothing
	addValue(hash, name, value);
}

function digest(reply, instance, fds) {
	const hash = crypto.createHash('sha256');

	for (const [name, value] of Object.entries(instance.exports)) {
		if (value instanceof WebAssembly.Memory)
			hash.update(name).update(new Uint8Array(value.buffer));
		if (!(value instanceof WebAssembly.Global))
			continue;
		try {
			addGlobal(hash, name, value);
		} catch {
			// constant, or v128, which JavaScript cannot see
		}
	}

	addValue(hash, 'result', reply.result);

	const chunk = Buffer.alloc(1 << 16);

	for (let at = 0, n; (n = fs.readSync(fds.output, chunk, 0, chunk.length, at)); at += n)
		hash.update(chunk.subarray(0, n));
	hash.update(`${reply.outcome} ${reply.exit_code}`);
	return hash.digest('hex');
}

const COUNTER = 'pw:count ';

function isMutable(global) {
	try {
		global.value = global.value;
		return true;
	} catch {
		return false;
	}
}

// What the counters of an instrumented module hold: "NAME VALUE" a line.
function counts(instance) {
	return Object.entries(instance.exports)
		.filter(([name, e]) => name.startsWith(COUNTER) &&
			e instanceof WebAssembly.Global &&
			typeof e.value === 'bigint' && isMutable(e))
		.map(([name, e]) => `${name} ${BigInt.asUintN(64, e.value)}\n`)
		.join('');
}

function checkLimits(r, reply, instance, fds) {
	const max = r.output_limit_bytes;
	const memories = Object.values(instance.exports)
		.filter((e) => e instanceof WebAssembly.Memory)
		.reduce((sum, e) => sum + e.buffer.byteLength, 0);

	if (r.memory_limit_bytes &&
	    (memories > r.memory_limit_bytes ||
	     dataBytes() - state[2] > r.memory_limit_bytes))
		throw new Failure('memory-limit', 'wanted more memory than it was given');
	if (max && r.stdout && fs.fstatSync(fds.output).size > max) {
		fs.ftruncateSync(fds.output, max);
		throw new Failure('output-limit', 'wrote more than it may');
	}
}

async function serve(r, reply, fds) {
	const module = compile(r, reply);

	if (r.samples)
		throw new Failure('unsupported', 'this runtime cannot sample itself');
	if (r.artifact)
		await codeWriter.write(r.artifact);
	if (r.compile_only)
		return;

	const { imports, wasi } = offer(r, module, fds);
	let instance = null;

	try {
		instance = instantiate(module, imports);
		call(r, reply, instance, wasi);
	} catch (e) {
		const f = judgeException(e);

		reply.outcome = f.outcome;
		reply.message = f.message;
	}
	if (!instance || reply.outcome === 'link')
		return;
	if (r.digest)
		reply.digest = digest(reply, instance, fds);
	if (r.counts)
		fs.writeFileSync(r.counts, counts(instance));
	checkLimits(r, reply, instance, fds);
}

parentPort.on('message', async (r) => {
	const reply = { outcome: 'ok', exit_code: 0 };
	const fds = {};

	state[0] = PREPARING;
	for (const key of ['module', 'stdin', 'stdout', 'artifact', 'counts']) {
		if (r[key])
			r[key] = Buffer.from(r[key]); // arrived as plain bytes
	}
	try {
		fds.output = openOutput(r);
		fds.input = openInput(r);
		await serve(r, reply, fds);
	} catch (e) {
		const f = judgeException(e);

		reply.outcome = f.outcome;
		reply.message = f.message;
	}
	for (const fd of Object.values(fds)) {
		try {
			fs.closeSync(fd);
		} catch {
			// the guest closed it
		}
	}
	delete reply.result; // may be a reference, which cannot be sent
	parentPort.postMessage(reply);
	// V8 finds a module again while it is there: then compiling costs nothing.
	// Those that were made unlike others are found by nobody.
	if (!r.artifact || ++nUnlike % UNLIKE_PER_GC === 0)
		globalThis.gc?.();
});
