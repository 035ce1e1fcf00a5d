// SPDX-License-Identifier: GPL-2.0-only OR MIT
// Writes numbers for people, as plugin/report/quantity.c does in text: three
// significant digits, and one scale for all numbers of a column or axis.

const STEPS = {
	ns: [[1, " ns"], [1e3, " us"], [1e6, " ms"], [1e9, " s"]],
	bytes: [[1, " B"], [2 ** 10, " KiB"], [2 ** 20, " MiB"],
		[2 ** 30, " GiB"], [2 ** 40, " TiB"]],
};

function decimalsOf(v, most) {
	const n = v >= 99.95 ? 0 : v >= 9.995 ? 1 : v >= 0.9995 ? 2 : 3;

	return Math.min(n, most);
}

function climb(steps, largest) {
	let i = 0;

	while (i + 1 < steps.length && largest >= steps[i + 1][0] * 0.9995)
		i++;
	const [divisor, suffix] = steps[i];

	return { divisor, suffix,
		 decimals: i ? decimalsOf(largest / divisor, 2) : 0 };
}

function scaleFor(unit, largest, whole) {
	switch (unit) {
	case "ns":
	case "bytes":
		return climb(STEPS[unit], largest);
	case "ms":
		return { divisor: 1, suffix: " ms",
			 decimals: decimalsOf(largest, 3) };
	case "ratio":
		return { divisor: 1, suffix: "x",
			 decimals: decimalsOf(largest, 2) };
	case "fraction":
		return { divisor: 0.01, suffix: " %", decimals: 1 };
	default:
		return { divisor: 1, suffix: "",
			 decimals: whole ? 0 : decimalsOf(largest, 3) };
	}
}

function grouped(v) {
	return Math.round(v).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

function plain(v, scale) {
	if (Math.abs(v) >= 1e15 || (v && Math.abs(v) < 0.0005))
		return v.toPrecision(3);
	return v.toFixed(scale.decimals);
}

function count(v) {
	return Number.isInteger(v) || Math.abs(v) >= 100 ? grouped(v) :
		v.toFixed(1);
}

function scaled(v, unit, scale) {
	// 3 us among seconds is not 0.00 s
	if (v && Math.abs(v / scale.divisor) < 0.5 * 10 ** -scale.decimals)
		scale = scaleFor(unit, Math.abs(v), false);
	return (v / scale.divisor).toFixed(scale.decimals) + scale.suffix;
}

// A function that writes numbers of this unit of which `largest` is the
// largest; `whole`: all of them are whole numbers.
export function writer(unit, largest = 0, whole = false) {
	const scale = scaleFor(unit, largest, whole);

	return (v) => {
		if (v === null || v === undefined)
			return "";
		if (typeof v === "string")
			return v;
		if (unit === "hex")
			return "0x" + v.toString(16);
		if (unit === "count")
			return count(v);
		return unit ? scaled(v, unit, scale) : plain(v, scale);
	};
}

// One number alone.
export function written(v, unit) {
	return writer(unit, Math.abs(v), Number.isInteger(v))(v);
}
