// SPDX-License-Identifier: GPL-2.0-only OR MIT
// A table of the data: its cells as values to reckon with and as text to
// read. Knows nothing of how it is shown.
import { writer, written } from "./units.mjs";

function rangeOf(values) {
	let largest = 0, whole = true;

	for (const v of values) {
		if (typeof v !== "number")
			continue;
		largest = Math.max(largest, Math.abs(v));
		whole = whole && Number.isInteger(v);
	}
	return [largest, whole];
}

function writtenAlone(v, unit) {
	const perSecond = unit.endsWith("/s");
	const of = perSecond ? unit.slice(0, -2) : unit;

	return written(v, of || undefined) + (perSecond ? "/s" : "");
}

export class Table {
	constructor(data) {
		this.n = data.rows;
		this.drawn = Boolean(data.drawn);
		this.columns = data.columns;
		this.charts = data.charts;
		this.units = data.row_units;
		this.writers = [];
	}

	// A number, a string or null.
	value(row, col) {
		const c = this.columns[col];

		if (c.words)
			return c.at[row] < 0 ? null : c.words[c.at[row]];
		return c.values[row];
	}

	// What rows are ordered by: addresses may be too large for a number; no
	// name is nothing.
	key(row, col) {
		const v = this.value(row, col);

		if (v === "")
			return null;
		return this.columns[col].unit === "hex" && v !== null ? BigInt(v) : v;
	}

	write(col) {
		const c = this.columns[col];

		if (!this.writers[col])
			this.writers[col] = c.words ? String :
				writer(c.unit, ...rangeOf(c.values));
		return this.writers[col];
	}

	// "bytes/s", where rows are different things.
	unit(row) {
		return this.units?.words[this.units.at[row]] ?? "";
	}

	text(row, col) {
		const v = this.value(row, col);

		if (v === null)
			return "";
		if (this.columns[col].by_row && typeof v === "number")
			return writtenAlone(v, this.unit(row));
		return this.write(col)(v);
	}

	title(col) {
		return this.columns[col].title;
	}

	shown() {
		return [...this.columns.keys()]
			.filter((i) => !this.columns[i].hidden);
	}

	// The different values of a column in order of their first rows, and for
	// each row the number of its own; -1: none.
	groups(col) {
		const c = this.columns[col], found = new Map(), at = [];

		if (c.words)
			return { names: c.words, at: c.at };
		for (const v of c.values) {
			if (v !== null && !found.has(v))
				found.set(v, found.size);
			at.push(v === null ? -1 : found.get(v));
		}
		return { names: [...found.keys()].map((v) => this.write(col)(v)),
			 at };
	}
}
