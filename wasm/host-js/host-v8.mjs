// SPDX-License-Identifier: GPL-2.0-only
//
// host-v8: the line protocol of <perfwasm/runtime.h> for the V8 inside node.
// This file reads requests, watches the clock, the memory and the output of
// the guest from outside, and answers; the guest runs in a worker thread,
// v8-guest.mjs. A worker serves many requests and is thrown away as soon as
// one of them ends in any way but by itself; when it cannot be stopped (it
// sleeps in a system call) the whole process ends after its answer.
//
//	node host-v8.mjs [tier=turbofan|liftoff|default] [inline=0|1]
//		[flags=--a,--b]
//
// tier=turbofan (default): every function is compiled by the optimizing
// compiler before the call. V8 never replaces a running baseline function of
// wasm, so with node's own tiers (tier=default) one long call is timed in
// baseline code throughout. tier=liftoff: baseline code only. opt=speed, none
// and default are the same in other words. inline=0 (default) keeps functions
// apart, so that they can be compared. V8 must have its flags when it
// starts, as some change others then: so the program starts node once more.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import v8 from 'node:v8';
import { Worker } from 'node:worker_threads';

const TICK_MS = 20;
const STOP_MS = 250;
// A worker keeps what its guests left behind until V8 collects it.
const REQUESTS_PER_WORKER = 200;

const TURBOFAN = ['--no-liftoff', '--no-wasm-tier-up'];
const LIFTOFF = ['--liftoff-only', '--no-wasm-tier-up'];
// An older V8 inlines no wasm function and does not know the flag.
const FIRST_TO_INLINE = 13;
const APART = parseInt(process.versions.v8) >= FIRST_TO_INLINE ?
	['--no-wasm-inlining'] : [];
const FLAGS = {
	tier: { turbofan: TURBOFAN, liftoff: LIFTOFF, default: [] },
	opt: { speed: TURBOFAN, none: LIFTOFF, default: [] },
	inline: { 0: APART, 1: [] },
};
const ALWAYS = ['--no-wasm-lazy-compilation', '--expose-gc'];
const BAD_FLAG = 9; // node's exit status

const OVER = {
	'cpu-limit': 'used all the CPU time it was given',
	'wall-limit': 'took longer than it was given',
	'memory-limit': 'wanted more memory than it was given',
	'output-limit': 'wrote more than it may',
};

// --- lines -----------------------------------------------------------------

// Bytes (as latin1) to fields. Values that are paths stay bytes.
function decode(s) {
	if (/%(?![0-9a-f]{2})/i.test(s))
		throw new Error('a value is not percent-encoded');
	return Buffer.from(s.replace(/%(..)/g, (_, h) =>
		String.fromCharCode(parseInt(h, 16))), 'latin1');
}

const LISTS = { arg: 'args', env: 'env', dir: 'dirs' };
const PATHS = { module: 1, stdin: 1, stdout: 1, artifact: 1, samples: 1,
	jitdump_dir: 1, counts: 1 };
const NUMBERS = { sample_period_ns: 1, cpu_limit_ns: 1, wall_limit_ns: 1,
	memory_limit_bytes: 1, output_limit_bytes: 1, digest: 1,
	compile_only: 1, clean_registers: 1 };

function parseRequest(line) {
	const [verb, ...fields] = line.split('\t').filter((f) => f);
	const r = { id: '0', args: [], env: [], dirs: [], invoke: '_start' };

	if (verb !== 'run')
		throw new Error('expected a line that begins with run');
	for (const f of fields) {
		const eq = f.indexOf('=');
		const key = f.slice(0, eq);
		const value = decode(f.slice(eq + 1));

		if (key in LISTS)
			r[LISTS[key]].push(value.toString());
		else if (key in PATHS)
			r[key] = value;
		else if (key in NUMBERS)
			r[key] = Number(value.toString());
		else if (['id', 'invoke', 'empty_imports'].includes(key))
			r[key] = value.toString();
		else
			throw new Error(`${f.slice(0, 60)} is no field of a request`);
	}
	if (!r.module)
		throw new Error('a request without a module');
	return r;
}

function encode(value) {
	return [...Buffer.from(String(value))].map((c) =>
		c < 0x21 || c === 0x25 || c === 0x7f ?
			'%' + c.toString(16).padStart(2, '0') :
			String.fromCharCode(c)).join('');
}

function say(verb, fields) {
	let line = verb;

	for (const [key, value] of Object.entries(fields)) {
		if (value !== undefined && value !== '')
			line += `\t${key}=${encode(value)}`;
	}
	fs.writeSync(1, Buffer.from(line + '\n', 'latin1'));
}

// --- the worker ------------------------------------------------------------

// What the worker tells while it runs: [phase, CPU us, data bytes, CPU us of
// the compilation, CPU us of this thread]; but for the compilation's as they
// were when the call began.
const IN_CALL = 2;
const state = new Float64Array(new SharedArrayBuffer(5 * 8));

let worker = null;
let served = 0;
let toldIn = ''; // where the worker tells of its code, '' when it does not
let ownDir = ''; // for what it tells us alone
let onEvent = null; // of the request in progress

function startWorker() {
	const w = new Worker(new URL('v8-guest.mjs', import.meta.url), {
		workerData: { state: state.buffer },
		stdout: true,
		stderr: true,
	});

	for (const name of ['message', 'error', 'exit'])
		w.on(name, (value) => w === worker && onEvent?.({ name, value }));
	w.unref();
	served = 0;
	return w;
}

const cpuUs = () => {
	const u = process.cpuUsage();

	return u.user + u.system;
};

// What this thread has used, as the guest's knows it (v8-guest.mjs).
function ownUs() {
	try {
		const stat = `/proc/self/task/${process.pid}/schedstat`;

		return Number(fs.readFileSync(stat, 'latin1').split(' ')[0]) / 1e3;
	} catch {
		return 0;
	}
}

// What the guest has used since its call began: all but this thread.
const guestUs = () => cpuUs() - state[1] - (ownUs() - state[4]);

const statm = fs.openSync('/proc/self/statm', 'r');
const text = Buffer.alloc(256);

function dataBytes() {
	const n = fs.readSync(statm, text, 0, text.length, 0);

	return Number(text.toString('latin1', 0, n).split(' ')[5]) * 4096;
}

function outputBytes(path) {
	try {
		return fs.statSync(path).size;
	} catch {
		return 0;
	}
}

// Which limit the request has run into, or ''.
function overLimit(r, fromMs) {
	const inCall = state[0] === IN_CALL;

	if (r.wall_limit_ns && (performance.now() - fromMs) * 1e6 > r.wall_limit_ns)
		return 'wall-limit';
	if (inCall && r.cpu_limit_ns && guestUs() * 1e3 > r.cpu_limit_ns)
		return 'cpu-limit';
	if (inCall && r.memory_limit_bytes &&
	    dataBytes() - state[2] > r.memory_limit_bytes)
		return 'memory-limit';
	if (inCall && r.output_limit_bytes && r.stdout &&
	    outputBytes(r.stdout) > r.output_limit_bytes)
		return 'output-limit';
	return '';
}

// CPU time cannot grow much faster than wall time, so one look when the limit
// may be near costs less than many looks.
function patience(r, fromMs) {
	let ms = 1000;

	if (r.memory_limit_bytes || (r.output_limit_bytes && r.stdout))
		ms = TICK_MS;
	if (r.cpu_limit_ns)
		ms = Math.min(ms, state[0] !== IN_CALL ? TICK_MS :
			(r.cpu_limit_ns / 1e3 - guestUs()) / 1e3);
	if (r.wall_limit_ns)
		ms = Math.min(ms, r.wall_limit_ns / 1e6 -
			(performance.now() - fromMs));
	return Math.max(1, ms);
}

// What happens first: the worker says something, or it is time to look.
function nextEvent(ms) {
	return new Promise((resolve) => {
		const t = setTimeout(() => resolve({ name: 'tick' }), ms);

		onEvent = (e) => {
			clearTimeout(t);
			resolve(e);
		};
	}).finally(() => {
		onEvent = null;
	});
}

// Resolves to whether the worker is gone.
async function stopWorker() {
	const w = worker;

	worker = null;
	return Promise.race([
		w.terminate().then(() => true),
		new Promise((resolve) => setTimeout(resolve, STOP_MS, false)),
	]);
}

// How a worker ended that gave no answer.
function judgeDeath(e) {
	const error = e.value;

	if (error?.code === 'ERR_WORKER_OUT_OF_MEMORY')
		return { outcome: 'memory-limit', message: OVER['memory-limit'] };
	return { outcome: 'crash',
		message: `the worker ended unasked: ${error?.message ?? error}` };
}

// A worker that tells perf of its code: V8 writes jit-PID.dump to the present
// directory once a worker begins with this flag set.
async function startTellingWorker(dir) {
	process.chdir(dir);
	v8.setFlagsFromString('--perf-prof');
	worker = startWorker();
	worker.ref();
	await new Promise((resolve) => worker.once('online', resolve));
	worker.unref();
	v8.setFlagsFromString('--no-perf-prof');
}

// A worker of the kind that the request wants.
async function readyWorker(r) {
	if (r.artifact && !ownDir) {
		ownDir = fs.mkdtempSync(path.join(os.tmpdir(), 'perf-wasm-'));
		process.on('exit', () => fs.rmSync(ownDir,
			{ recursive: true, force: true }));
	}

	const dir = r.jitdump_dir?.toString() ?? (r.artifact ? ownDir : '');

	if (worker && toldIn === dir)
		return;
	if (worker)
		await stopWorker();
	if (dir)
		await startTellingWorker(dir);
	else
		worker = startWorker();
	toldIn = dir;
}

// The answer, and whether this process may go on.
async function serve(r) {
	const fromMs = performance.now();
	let over = '';
	let e;

	await readyWorker(r);
	state.fill(0);
	worker.postMessage(r);
	do {
		e = await nextEvent(patience(r, fromMs));
		over = e.name === 'tick' ? overLimit(r, fromMs) : '';
	} while (e.name === 'tick' && !over);
	if (e.name === 'message') {
		served++;
		if (e.value.outcome !== 'ok' || r.jitdump_dir ||
		    served >= REQUESTS_PER_WORKER)
			return [e.value, await stopWorker()];
		return [e.value, true];
	}

	const inCall = state[0] === IN_CALL;
	const reply = over ? { outcome: over,
		message: OVER[over] + (inCall ? '' : ', before the call') } :
		judgeDeath(e);

	reply.compile_ns = state[3] * 1e3;
	if (inCall)
		reply.cpu_ns = Math.round(guestUs() * 1e3);
	reply.wall_ns = Math.round((performance.now() - fromMs) * 1e6);
	return [reply, await stopWorker()];
}

// --- the program -----------------------------------------------------------

// The flags that the options stand for. One of tier and opt is enough.
function readOptions(options) {
	const chosen = { inline: '0', flags: '' };

	for (const o of options) {
		const [key, value] = o.split(/=(.*)/s);

		if ((key in FLAGS && !(value in FLAGS[key])) ||
		    !(key in FLAGS || key === 'flags'))
			throw new Error(`${o} is no option of this runtime: tier=turbofan|liftoff|default, inline=0|1, flags=--a,--b`);
		chosen[key] = value;
	}
	if (!chosen.opt)
		chosen.tier ??= 'turbofan';
	return [...ALWAYS, ...Object.keys(FLAGS).flatMap((key) =>
		chosen[key] ? FLAGS[key][chosen[key]] : []),
	...chosen.flags.split(',').filter((x) => x)];
}

// Ends with another node's status when this one lacks a flag.
function ensureFlags(flags) {
	const again = [...process.execArgv,
		...flags.filter((f) => !process.execArgv.includes(f))];

	if (again.length === process.execArgv.length)
		return;

	const { status } = spawnSync(process.execPath,
		[...again, ...process.argv.slice(1)], { stdio: 'inherit' });

	if (status === BAD_FLAG)
		throw new Error(`this node does not take all of ${again.join(' ')}`);
	process.exit(status ?? 1);
}

async function answer(line) {
	let id = /\tid=([0-9]+)/.exec(line)?.[1] ?? '0';
	let reply, goOn = true;

	try {
		[reply, goOn] = await serve(parseRequest(line));
	} catch (e) {
		reply = { outcome: 'unsupported', message: e.message };
	}
	say('done', {
		id,
		outcome: reply.outcome,
		compile_ns: reply.compile_ns ?? 0,
		cpu_ns: reply.cpu_ns ?? 0,
		wall_ns: reply.wall_ns ?? 0,
		begin_ns: reply.begin_ns,
		exit_code: reply.exit_code || undefined,
		digest: reply.digest,
		// eslint-disable-next-line no-control-regex
		message: reply.message?.replace(/[\x00-\x1f\x7f]/g, ' ').slice(0, 390),
	});
	if (!goOn)
		process.kill(process.pid, 'SIGKILL');
}

async function main() {
	let rest = '';

	try {
		ensureFlags(readOptions(process.argv.slice(2)));
	} catch (e) {
		say('failed', { message: e.message });
		process.exit(1);
	}
	say('ready', { version: process.versions.node, v8: process.versions.v8 });
	for await (const chunk of process.stdin) {
		const lines = (rest + chunk.toString('latin1')).split('\n');

		rest = lines.pop();
		for (const line of lines)
			await answer(line);
	}
	process.exit(0);
}

await main();
