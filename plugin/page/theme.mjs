// SPDX-License-Identifier: GPL-2.0-only OR MIT
// Light or dark: as the system is set until the reader chooses. Gives the
// charts their colours; a name has one colour on the whole page.
import { button } from "./dom.mjs";

const DARK = matchMedia("(prefers-color-scheme: dark)");

const LIGHT_COLORS = ["#3366b3", "#d9772b", "#2f8f5b", "#b23a48", "#7a58a8",
	"#8a6d3b", "#c05c9a", "#4b5fd6", "#8f9a2f", "#2596a6"];
const DARK_COLORS = ["#6fa3ec", "#f0a05a", "#63c48f", "#e87a84", "#b396e0",
	"#c7a56b", "#e695c6", "#98a6ff", "#c3cd5f", "#5fcbdb"];

const numbers = new Map();

function numberOf(name) {
	if (!numbers.has(name))
		numbers.set(name, numbers.size);
	return numbers.get(name);
}

export const theme = {
	dark: DARK.matches,
	chosen: false,
	listeners: [],

	color(name) {
		const colors = this.dark ? DARK_COLORS : LIGHT_COLORS;
		const n = numberOf(name);

		// further ones by the golden angle: neighbours differ
		return colors[n] ?? `hsl(${Math.round(n * 137.5) % 360}, ` +
			`${n % 2 ? 65 : 40}%, ${this.dark ? 68 : 45}%)`;
	},

	// From little to much, for heat maps; the second set for a second value.
	heat(second) {
		if (this.dark)
			return second ? ["#2b2314", "#8a5a17", "#ffc266"] :
				["#16263a", "#2b6cb0", "#a8d8ff"];
		return second ? ["#fff1dc", "#f0a04b", "#8a3b00"] :
			["#e6f0fb", "#5b9bd5", "#0b2f66"];
	},

	text() { return this.dark ? "#e3e6ea" : "#1b1f24"; },
	faint() { return this.dark ? "#9aa4b0" : "#5b6470"; },
	line() { return this.dark ? "#373e47" : "#d9dce1"; },
	back() { return this.dark ? "#1e2329" : "#ffffff"; },

	apply() {
		document.documentElement.dataset.theme =
			this.dark ? "dark" : "light";
		for (const f of this.listeners)
			f();
	},

	set(dark) {
		if (dark === this.dark)
			return;
		this.dark = dark;
		this.apply();
	},
};

// A button that switches.
export function themeSwitch() {
	const b = button("Light / dark", "switch between light and dark", () => {
		theme.chosen = true;
		theme.set(!theme.dark);
	});

	DARK.addEventListener("change", () => {
		if (!theme.chosen)
			theme.set(DARK.matches);
	});
	theme.apply();
	return b;
}
