// SPDX-License-Identifier: GPL-2.0-only
//
// shell-guest: one request in the shell of an engine (jsc, js102), which knows
// nothing of node. host-shell.c wrote the request as `var R` before this; it
// reads clocks while we wait for it:
//
//	we print a word, it reads the clock and sends a line, we go on
//
// A classic script, as both shells take those and no modules.
'use strict';

const WASI = /^wasi_(snapshot_preview1|unstable)$/;
const OK = 0, EBADF = 8, ESPIPE = 70, ENOSYS = 52;
const readBytes = typeof readFile === 'function' ?
	(path) => readFile(path, 'binary') : (path) => os.file.readFile(path, 'binary');
const writeBytes = typeof writeFile === 'function' ?
	writeFile : os.file.writeTypedArrayToFile;
const rest = typeof sleepSeconds === 'function' ? sleepSeconds : sleep;

class Failure extends Error {
	constructor(outcome, message) {
		super(message);
		this.outcome = outcome;
	}
}

function tick(word) {
	print(word);
	readline();
}

// --- bytes -------------------------------------------------------------------

function utf8(s) {
	const escaped = encodeURIComponent(s);
	const bytes = [];

	for (let i = 0; i < escaped.length; i++) {
		if (escaped[i] === '%') {
			bytes.push(parseInt(escaped.slice(i + 1, i + 3), 16));
			i += 2;
		} else {
			bytes.push(escaped.charCodeAt(i));
		}
	}
	return Uint8Array.from(bytes);
}

function join(chunks) {
	const all = new Uint8Array(chunks.reduce((n, c) => n + c.length, 0));
	let at = 0;

	for (const c of chunks) {
		all.set(c, at);
		at += c.length;
	}
	return all;
}

// The module without its names: then code is called by index.
function withoutNames(bytes) {
	const kept = [bytes.subarray(0, 8)];
	let at = 8;

	const uleb = () => {
		let v = 0, shift = 0, b;

		do {
			b = bytes[at++];
			v += (b & 127) * 2 ** shift;
			shift += 7;
		} while (b & 128);
		return v;
	};

	while (at < bytes.length) {
		const from = at;
		const id = bytes[at++];
		const end = uleb() + at;

		if (!(end <= bytes.length))
			return bytes; // the engine will say what is wrong
		const isName = id === 0 && uleb() === 4 &&
			String.fromCharCode(...bytes.subarray(at, at + 4)) === 'name';

		if (!isName)
			kept.push(bytes.subarray(from, end));
		at = end;
	}
	return join(kept);
}

// --- WASI --------------------------------------------------------------------

const output = [];
let outputBytes = 0;
let input = null; // what is left of it
let memory = null;

const view = () => new DataView(memory.buffer);
const bytesOf = (from, n) => new Uint8Array(memory.buffer, from >>> 0, n);

function takeOutput(bytes) {
	output.push(bytes.slice());
	outputBytes += bytes.length;
	if (R.output_limit_bytes && outputBytes > R.output_limit_bytes)
		throw new Failure('output-limit', 'wrote more than it may');
}

function eachBuffer(iovs, n, f) {
	for (let i = 0; i < n; i++)
		f(view().getUint32(iovs + 8 * i, true),
			view().getUint32(iovs + 8 * i + 4, true));
}

function strings(list, pointers, at) {
	for (const s of list) {
		const bytes = utf8(s + '\0');

		view().setUint32(pointers, at, true);
		bytesOf(at, bytes.length).set(bytes);
		pointers += 4;
		at += bytes.length;
	}
	return OK;
}

function sizes(list, count, size) {
	view().setUint32(count, list.length, true);
	view().setUint32(size, list.reduce((n, s) => n + utf8(s).length + 1, 0), true);
	return OK;
}

const wasi = {
	args_get: (p, at) => strings(R.argv, p, at),
	args_sizes_get: (count, size) => sizes(R.argv, count, size),
	environ_get: (p, at) => strings(R.env, p, at),
	environ_sizes_get: (count, size) => sizes(R.env, count, size),
	clock_res_get: (_, p) => (view().setBigUint64(p, 1000n, true), OK),
	clock_time_get: (_, _precision, p) => (
		view().setBigUint64(p, BigInt(Date.now()) * 1000000n, true), OK),
	fd_close: () => OK,
	fd_fdstat_get(fd, p) {
		if (fd > 2)
			return EBADF;
		bytesOf(p, 24).fill(0);
		view().setUint8(p, 2); // a character device
		view().setBigUint64(p + 8, 0xfffffffn, true);
		return OK;
	},
	fd_prestat_get: () => EBADF,
	fd_seek: () => ESPIPE,
	fd_read(fd, iovs, n, p) {
		let got = 0;

		if (fd !== 0)
			return EBADF;
		input ??= R.stdin ? readBytes(R.stdin) : new Uint8Array();
		eachBuffer(iovs, n, (at, size) => {
			const take = Math.min(size, input.length);

			bytesOf(at, take).set(input.subarray(0, take));
			input = input.subarray(take);
			got += take;
		});
		view().setUint32(p, got, true);
		return OK;
	},
	fd_write(fd, iovs, n, p) {
		let put = 0;

		if (fd !== 1 && fd !== 2)
			return EBADF;
		eachBuffer(iovs, n, (at, size) => {
			takeOutput(bytesOf(at, size));
			put += size;
		});
		view().setUint32(p, put, true);
		return OK;
	},
	// Waits for the first of its clocks; nothing else is ever ready.
	poll_oneoff(subs, events, n, p) {
		let first = null;

		for (let i = 0; i < n; i++) {
			const at = subs + 48 * i;
			let ns = Number(view().getBigUint64(at + 24, true));

			if (view().getUint8(at + 8) !== 0)
				continue;
			if (view().getUint16(at + 40, true) & 1)
				ns -= Date.now() * 1e6;
			if (!first || ns < first.ns)
				first = { ns, data: view().getBigUint64(at, true) };
		}
		if (!first)
			return ENOSYS;
		/* js102 refuses to sleep for long at once */
		for (let s = first.ns / 1e9; s > 0; s -= 1000)
			rest(Math.min(s, 1000));
		bytesOf(events, 32).fill(0);
		view().setBigUint64(events, first.data, true);
		view().setUint32(p, 1, true);
		return OK;
	},
	proc_exit(code) {
		throw new Failure(code ? 'exit' : 'ok', String(code));
	},
	random_get(p, n) {
		for (let i = 0; i < n; i++)
			bytesOf(p, n)[i] = i * 167 + 13;
		return OK;
	},
	sched_yield: () => OK,
};

// --- the request -------------------------------------------------------------

const LACKS = /not supported|unsupported|disabled|not enabled|not available/i;

function compile() {
	const bytes = readBytes(R.module);

	if (bytes.length >= 8 && bytes[4] === 13 && bytes[6] === 1)
		throw new Failure('unsupported', 'the file is a component; this runtime takes modules');
	tick('compile');
	try {
		return new WebAssembly.Module(withoutNames(bytes));
	} catch (e) {
		throw new Failure(LACKS.test(e.message) ? 'unsupported' : 'refused',
			e.message);
	} finally {
		tick('compiled');
	}
}

function offer(module) {
	const offered = R.empty_imports.split(',');
	const all = offered.includes('*');
	const imports = {};

	for (const { module: m, name, kind } of WebAssembly.Module.imports(module)) {
		imports[m] ??= {};
		if (kind === 'function' && WASI.test(m))
			imports[m][name] = wasi[name] ?? (() => ENOSYS);
		else if (kind === 'function' && (all || offered.includes(`${m}.${name}`)))
			imports[m][name] = () => '0'; // zero of every type
		else
			throw new Failure('link', `wants imports that nobody offers: ${m}.${name} (${kind})`);
	}
	return imports;
}

function call(module) {
	const imports = offer(module);
	let instance;

	try {
		instance = new WebAssembly.Instance(module, imports);
	} catch (e) {
		if (e instanceof WebAssembly.LinkError || e instanceof TypeError)
			throw new Failure('link', e.message);
		throw e;
	}

	const func = instance.exports[R.invoke];

	memory = instance.exports.memory ?? null;
	if (typeof func !== 'function')
		throw new Failure('link', `exports no function ${R.invoke}; name another with --invoke`);
	if (func.length)
		throw new Failure('unsupported', `${R.invoke} takes ${func.length} arguments; only functions without are called`);
	tick('begin');
	try {
		return { instance, result: func() };
	} catch (e) {
		if (e instanceof Failure && e.outcome === 'ok')
			return { instance };
		e.instance = instance;
		throw e;
	} finally {
		tick('end');
	}
}

function judge(e) {
	if (e instanceof Failure)
		return e;
	if (e instanceof WebAssembly.RuntimeError)
		return new Failure('trap', e.message);
	if (/memory/i.test(e.message))
		return new Failure('memory-limit', e.message);
	if (e instanceof RangeError || /recursion|stack/i.test(e.message))
		return new Failure('trap', e.message);
	return new Failure('crash', String(e.message ?? e));
}

// What the guest leaves behind, in one file, for the host to hash.
function leave(instance, result) {
	const left = [];

	for (const [name, value] of Object.entries(instance.exports)) {
		if (value instanceof WebAssembly.Memory)
			left.push(utf8(name), new Uint8Array(value.buffer));
		if (!(value instanceof WebAssembly.Global))
			continue;
		try {
			const v = value.value;

			value.value = v; // throws when it is a constant
			left.push(utf8(`${name}=${Object.is(v, -0) ? '-0' : v};`));
		} catch {
			// a constant tells nothing; v128 cannot be seen
		}
	}
	if (typeof result === 'number' || typeof result === 'bigint')
		left.push(utf8(`result=${Object.is(result, -0) ? '-0' : result}`));
	writeBytes(R.left, join(left));
}

// --- SpiderMonkey's code, as a jitdump ---------------------------------------

const EM_X86_64 = 62;
const KIND_FUNCTION = 0;

function record(name, addr, code) {
	const head = new DataView(new ArrayBuffer(56));
	const called = utf8(name + '\0');

	head.setUint32(4, 56 + called.length + code.length, true);
	head.setUint32(24, addr, true);
	head.setUint32(32, addr, true);
	head.setUint32(40, code.length, true);
	return [new Uint8Array(head.buffer), called, code];
}

function writeCode(module) {
	const extracted = wasmExtractCode(module, R.tier);
	const head = new DataView(new ArrayBuffer(40));
	const parts = [new Uint8Array(head.buffer)];

	const nImported = WebAssembly.Module.imports(module)
		.filter((i) => i.kind === 'function').length;

	[0x4a695444, 1, 40, EM_X86_64].forEach((v, i) => head.setUint32(4 * i, v, true));
	for (const s of extracted.segments) {
		if (s.kind !== KIND_FUNCTION || s.funcIndex < nImported)
			continue;
		parts.push(...record(`${R.tier === 'stable' ? 'Baseline' : 'Ion'}: wasm-function[${s.funcIndex}]`,
			0x10000 + s.funcBodyBegin,
			extracted.code.subarray(s.funcBodyBegin, s.funcBodyEnd)));
	}
	// where the constants lie
	parts.push(...record('Ion: code', 0x10000, extracted.code));
	writeBytes(R.artifact, join(parts));
}

// --- the whole ---------------------------------------------------------------

const quote = (s) => Array.from(utf8(s)).map((c) =>
	c < 0x21 || c === 0x25 || c === 0x7f ?
		'%' + c.toString(16).padStart(2, '0') : String.fromCharCode(c)).join('');

function serve() {
	let instance = null, result;
	let end = { outcome: 'ok', message: '' };

	try {
		const module = compile();

		if (R.artifact)
			writeCode(module);
		if (!R.compile_only)
			({ instance, result } = call(module));
	} catch (e) {
		end = judge(e);
		instance = e.instance ?? null;
	}
	writeBytes(R.out, join(output));
	if (instance && R.left)
		leave(instance, result);
	print(`done\toutcome=${end.outcome}` +
		(end.outcome === 'exit' ? `\texit_code=${end.message}` : '') +
		(end.message ? `\tmessage=${quote(end.message.slice(0, 390))}` : ''));
}

serve();
