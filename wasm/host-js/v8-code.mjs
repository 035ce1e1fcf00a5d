// SPDX-License-Identifier: GPL-2.0-only
//
// v8-code: the machine code of a module, as V8 tells it to perf. V8 writes
// jit-PID.dump through a buffer that nothing but more records can flush; so
// a module of ours follows each of theirs, whose one function has a name
// longer than the buffer. Knows nothing of requests.
//
// What is written is a jitdump again: its header and the records of the wasm
// functions. Of several records of a function the last one holds.
import crypto from 'node:crypto';
import fs from 'node:fs';
import { setTimeout } from 'node:timers/promises';

const HEADER_BYTES = 40;
const CODE_LOAD = 0;
const NAME_AT = 56; // in a CODE_LOAD
const PATIENCE = 100;
const MARK_AGAIN = 10;
const BUFFER_BYTES = 4096; // and V8 writes so much of a name
const IS_WASM = /^(JS|Function):.*-[0-9]+-(turbofan|liftoff)$/s;

const leb = (n) => Buffer.of(n & 127 | 128, n >> 7 & 127 | 128, n >> 14);
const sized = (bytes) => Buffer.concat([leb(bytes.length), bytes]);
const custom = (name, bytes) => Buffer.concat([Buffer.of(0),
	sized(Buffer.concat([sized(Buffer.from(name)), bytes]))]);

// (module (func)), and the function has this name, made long.
function compileMark(mark) {
	const name = Buffer.from(mark.padEnd(BUFFER_BYTES, '.'));
	const names = Buffer.concat([Buffer.of(1, 0), sized(name)]);

	new WebAssembly.Module(Buffer.concat([
		Buffer.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0,
			3, 2, 1, 0, 10, 4, 1, 2, 0, 0x0b),
		custom('name', Buffer.concat([Buffer.of(1), sized(names)])),
	]));
}

// The same module in other bytes. V8 knows one again by its bytes, and then
// makes no code and tells of none.
export const unlike = (bytes) =>
	Buffer.concat([bytes, custom('nonce', crypto.randomBytes(16))]);

// Writes the code of all that was compiled since the last call.
export class CodeWriter {
	#at = HEADER_BYTES; // where the next record begins
	#path = `jit-${process.pid}.dump`;

	async write(path) {
		const mark = crypto.randomBytes(16).toString('hex');
		let records = null;

		for (let i = 0; !records && i < PATIENCE; i++) {
			if (i) // V8 may tell in a task of its own
				await setTimeout(i % MARK_AGAIN);
			if (i % MARK_AGAIN === 0)
				compileMark(`${mark}${i}`);
			records = this.#take(this.#read(this.#at), mark);
		}
		if (!records)
			throw new Error('V8 did not tell of the code that it made');
		fs.writeFileSync(path, Buffer.concat(
			[this.#read(0, HEADER_BYTES), ...records]));
	}

	#read(from, n = Infinity) {
		const fd = fs.openSync(this.#path, 'r');
		const there = Math.max(0, fs.fstatSync(fd).size - from);
		const bytes = Buffer.alloc(Math.min(there, n));

		fs.readSync(fd, bytes, 0, bytes.length, from);
		fs.closeSync(fd);
		return bytes;
	}

	// The records of wasm functions before the mark's, once that is there.
	#take(news, mark) {
		const records = [];

		for (let at = 0; at + NAME_AT < news.length;) {
			const size = news.readUInt32LE(at + 4);
			const nul = news.indexOf(0, at + NAME_AT);
			const name = news.toString('latin1', at + NAME_AT,
				nul < 0 ? news.length : nul); // may be cut
			const isLoad = news.readUInt32LE(at) === CODE_LOAD;

			if (isLoad && name.includes(mark)) {
				this.#at += at;
				return records;
			}
			if (isLoad && IS_WASM.test(name))
				records.push(news.subarray(at, at + size));
			at += size;
		}
		return null;
	}
}
