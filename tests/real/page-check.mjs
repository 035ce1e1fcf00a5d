// SPDX-License-Identifier: GPL-2.0-only
// page-check.mjs PAGE all|open [SHOTS]: opens a page of a report in Chromium as a reader
// would: every tab, every table sorted and filtered, every chart drawn and
// zoomed, by mouse and by keyboard, dark, on paper, and with scripts off. Knows
// nothing of what the page is about. Writes a screenshot of every tab into the
// folder SHOTS. The environment: PLAYWRIGHT, where playwright-core is, and
// CHROMIUM, the browser. Prints "opened MS ms, as long as N loads of nothing, SIZE MB";
// with "open" that is all.
import { createRequire } from "node:module";
import { mkdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const require = createRequire(import.meta.url);
const { chromium } = require(process.env.PLAYWRIGHT);
const [file, what, shots] = process.argv.slice(2);
const url = pathToFileURL(resolve(file)).href;
const faults = [];

if (shots)
	mkdirSync(shots, { recursive: true });

function check(holds, what) {
	if (!holds)
		faults.push(what);
	return holds;
}

// A page whose every complaint and every request is a fault.
async function open(browser, options = {}) {
	const context = await browser.newContext({
		viewport: { width: 1280, height: 900 }, ...options });
	const page = await context.newPage();

	page.on("console", (m) => {
		// the one about Canvas2D is on how isDrawn() looks
		if (["error", "warning"].includes(m.type()) &&
		    !m.text().startsWith("Canvas2D"))
			faults.push(`console: ${m.text()}`);
	});
	page.on("pageerror", (e) => faults.push(`error: ${e.message}`));
	page.on("dialog", (d) => {
		faults.push(`dialog: ${d.message()}`);
		d.dismiss();
	});
	page.on("request", (r) => {
		if (r.url().split("#")[0] !== url && !r.url().startsWith("data:"))
			faults.push(`request: ${r.url()}`);
	});
	return page;
}

async function shot(page, name) {
	if (shots)
		await page.screenshot({ path: `${shots}/${name}.png` });
}

const panel = ".tab:not([hidden])";

// What the page does in its own time: a busy machine may take long over it.
async function becomes(holds) {
	for (let i = 0; i < 400; i++) {
		if (await holds())
			return true;
		await new Promise((done) => setTimeout(done, 25));
	}
	return false;
}

// --- tables -------------------------------------------------------------------

// Sorts by every column, both ways, within the page, as a question from here
// takes longer than the sorting; that each head can be clicked is looked at. Tells
// what was wrong. Empty cells stay last; whole numbers without a unit can be
// compared as they are read.
function sortAll(view) {
	const faults = [];

	function sortBy(th, i) {
		const say = (what) => faults.push(`column ${i + 1}: ${what}`);
		const button = th.querySelector("button");
		const seen = [];

		button.scrollIntoView({ block: "center", inline: "center" });
		const { x, y, width, height } = button.getBoundingClientRect();
		if (!button.contains(document.elementFromPoint(x + width / 2,
							       y + height / 2)))
			say("something lies on its head");
		for (let turn = 0; turn < 2; turn++) {
			button.click();
			seen.push(th.getAttribute("aria-sort"));
			const cells = [...view.querySelectorAll("tbody tr")]
				.map((tr) => tr.cells[i].textContent);
			const empty = cells.indexOf("");

			if (empty >= 0 && !cells.slice(empty).every((s) => s === ""))
				say("empty cells are not last");
			const full = cells.filter((s) => s !== "");

			if (!full.every((s) => /^[\d,]+$/.test(s)))
				continue;
			const up = seen[turn] === "ascending";
			const numbers = full.map((s) =>
				Number(s.replaceAll(",", "")));

			if (!numbers.every((v, k) => !k || (up ?
				numbers[k - 1] <= v : numbers[k - 1] >= v)))
				say("not in order after sorting");
		}
		if (seen[0] === seen[1] || !seen.every(Boolean))
			say("a second click does not turn the order round");
	}

	[...view.querySelectorAll("th")].forEach(sortBy);
	return faults;
}

// By mouse once, which leads to the other order of the column sorted last.
async function checkSort(view, name) {
	const head = view.locator("th").last();

	for (const what of await view.evaluate(sortAll))
		check(false, `${name}, ${what}`);
	const before = await head.getAttribute("aria-sort");

	await head.locator("button").click();
	check(await head.getAttribute("aria-sort") !== before,
	      `${name}: a click does not sort`);
}

async function checkFilter(view, name) {
	const before = await view.locator("tbody tr").count();
	const words = (await view.locator("tbody tr").evaluateAll((rows) =>
		rows.map((tr) => tr.cells[0].textContent))).join(" ").split(/\s+/);
	const word = words.find((w) => /^\w{2,}$/.test(w)) ?? words[0];
	const input = view.locator("input");

	await input.fill(word);
	const found = await view.locator("tbody tr").evaluateAll((rows) =>
		rows.map((tr) => tr.textContent.toLowerCase()));
	check(found.length > 0 && found.length <= before &&
	      found.every((s) => s.includes(word.toLowerCase())),
	      `${name}: the filter '${word}' shows other rows`);
	await input.press("Escape");
	check(await view.locator("tbody tr").count() === before,
	      `${name}: Escape does not end the filter`);
}

// What a spreadsheet gets: a line a row, and no name that is a formula.
async function checkCopy(view, name) {
	const button = view.locator(".tools button", { hasText: "Copy CSV" });

	if (!await button.count() || !await button.isVisible())
		return;
	await view.page().evaluate(() => {
		Object.defineProperty(navigator, "clipboard", { configurable: true,
			value: { writeText: async (s) => { window.copied = s; } } });
	});
	await button.click();
	const copied = await view.page().evaluate(() => window.copied) ?? "";

	check(copied.split("\n").length > await view.locator("tbody tr").count(),
	      `${name}: not every row is copied`);
	check(!/(^|,)"?[=@]/m.test(copied), `${name}: copies a formula`);
}

async function checkTable(view, name) {
	if (!check(await view.locator("th").count() > 0 &&
		   await view.locator("tbody tr").count() > 0,
		   `${name}: an empty table`))
		return;
	await checkSort(view, name);
	if (await view.locator("input").count())
		await checkFilter(view, name);
	await checkCopy(view, name);
}

// --- charts -------------------------------------------------------------------

// Marks are of strong colours, axes and words are grey. Above the marks and
// below a large drawing stand a legend and a zoom bar, which tell nothing.
async function isDrawn(canvas) {
	const top = Number(await canvas.getAttribute("data-top"));

	return canvas.locator("canvas").first().evaluate((c, top) => {
		const { data } = c.getContext("2d").getImageData(0, top,
			c.width, c.height - top - (c.height > 200 ? 80 : 0));
		let strong = 0;

		for (let i = 0; i < data.length && strong <= 20; i += 4) {
			const r = data[i], g = data[i + 1], b = data[i + 2];

			if (data[i + 3] > 40 &&
			    Math.max(r, g, b) - Math.min(r, g, b) > 40)
				strong++;
		}
		return strong > 20;
	}, top);
}

function zoomOf(canvas) {
	return canvas.getAttribute("data-zoom");
}

// Whether anything came of it.
async function zoom(page, canvas, by) {
	const box = await canvas.boundingBox();
	const from = await zoomOf(canvas);

	await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
	await page.keyboard.down("Control");
	await page.mouse.wheel(0, by);
	await page.keyboard.up("Control");
	return becomes(async () => await zoomOf(canvas) !== from);
}

// In, and out again: other charts of time follow.
async function checkZoom(page, canvas, before, name) {
	check(await zoom(page, canvas, -400), `${name}: does not zoom`);
	for (let i = 0; i < 8 && await zoomOf(canvas) !== before; i++)
		await zoom(page, canvas, 400);
	check(await zoomOf(canvas) === before,
	      `${name}: is not as before when zoomed out`);
}

async function checkChart(page, drawing, name) {
	const canvas = drawing.locator(".chart");
	const before = await zoomOf(canvas);

	await canvas.scrollIntoViewIfNeeded();
	check(await becomes(() => isDrawn(canvas)), `${name}: nothing is drawn`);
	if (before !== null)
		await checkZoom(page, canvas, before, name);
	const select = drawing.locator("select").first();

	for (let i = await select.count() ?
		await select.locator("option").count() - 1 : -1; i >= 0; i--) {
		await select.selectOption({ index: i });
		check(await becomes(() => isDrawn(canvas)),
		      `${name}: choice ${i} draws nothing`);
	}
}

async function checkFigure(page, figure, name) {
	const toggle = figure.locator("button[aria-expanded]");

	for (const drawing of await figure.locator(".drawing").all())
		await checkChart(page, drawing, name);
	if (await toggle.count())
		await toggle.first().click();
	const view = figure.locator(".view");

	if (check(await view.count() === 1, `${name}: no table`))
		await checkTable(view, name);
	if (await toggle.count()) {
		await toggle.first().click();
		check(await view.isHidden(), `${name}: the table stays`);
	}
}

// --- tabs ---------------------------------------------------------------------

async function checkTab(page, tab, name) {
	await tab.click();
	check(await page.locator(panel).count() === 1,
	      `${name}: not one tab is shown`);
	await page.waitForTimeout(150);
	await shot(page, name);
	check(await page.evaluate(() =>
		document.documentElement.scrollWidth <= innerWidth),
	      `${name}: is wider than the window`);
	let i = 0;

	for (const figure of await page.locator(`${panel} figure.table`).all())
		if (await figure.locator(".view, .drawing").count())
			await checkFigure(page, figure, `${name}, table ${++i}`);
	for (const b of await page.locator(
		`${panel} figure.listing .tools button`).all()) {
		await b.click();
		check(await page.locator(`${panel} tr.at`).count() > 0,
		      `${name}: a listing's button leads nowhere`);
	}
}

async function checkTabs(page) {
	const tabs = await page.locator("nav [role=tab]").all();

	check(tabs.length > 0, "no tabs");
	for (const [i, tab] of tabs.entries())
		await checkTab(page, tab, `tab-${i + 1}`);
}

async function checkKeyboard(page) {
	const tabs = page.locator("nav [role=tab]");
	const n = await tabs.count();

	await tabs.first().click();
	await tabs.first().focus();
	for (let i = 1; i <= n; i++) {
		await page.keyboard.press("ArrowRight");
		check(await tabs.nth(i % n).getAttribute("aria-selected") ===
			"true", `arrow key ${i} does not lead to its tab`);
	}
	const outline = await page.evaluate(() =>
		getComputedStyle(document.activeElement).outlineStyle);

	check(outline !== "none", "the focus is not seen");
	for (const tab of await tabs.all()) {
		await tab.click();
		if (!await page.locator(`${panel} .view input`).count() ||
		    !await page.locator(`${panel} .view input`).first().isVisible())
			continue;
		await page.keyboard.press("/");
		check(await page.evaluate(() =>
			document.activeElement.matches(".view input")),
		      "'/' does not lead to the filter");
		return;
	}
}

async function checkDark(page) {
	const ground = () => page.evaluate(() =>
		getComputedStyle(document.body).backgroundColor);
	const light = await ground();
	const tabs = await page.locator("nav [role=tab]").all();

	await page.getByRole("button", { name: "Light / dark" }).click();
	check(await ground() !== light, "dark is as light");
	for (const [i, tab] of tabs.entries()) {
		await tab.click();
		if (shots)
			await page.waitForTimeout(100);
		await shot(page, `dark-${i + 1}`);
	}
}

async function checkPaper(page) {
	const pdf = await page.pdf({ path: shots ? `${shots}/paper.pdf` :
		undefined });
	const pages = pdf.toString("latin1").match(/\/Type\s*\/Page\b/g);

	check(pages && pages.length >= await page.locator(".tab").count(),
	      "not every tab is on paper");
}

// No name became an element.
async function checkElements(page) {
	const scripts = await page.locator("script").count();
	const odd = await page.locator("img, iframe, object, embed, base, form")
		.count();

	check(scripts === 2 && odd === 0,
	      `${scripts} scripts and ${odd} foreign elements`);
}

async function checkWithoutScripts(browser) {
	const page = await open(browser, { javaScriptEnabled: false });

	await page.goto(url);
	for (const tab of await page.locator(".tab").all())
		check(await tab.isVisible(), "scripts off: a tab is hidden");
	for (const t of await page.locator("figure.table").all())
		check(await t.locator("tbody tr, p").count() > 0,
		      "scripts off: a table without rows");
	await shot(page, "scripts-off");
	await checkElements(page);
	await page.context().close();
}

// --- all ----------------------------------------------------------------------

async function timeOf(page, to, ready) {
	const begin = performance.now();

	await page.goto(to);
	if (ready)
		await page.waitForSelector("html[data-ready]");
	return performance.now() - begin;
}

async function measure(page) {
	const blank = [];
	const opened = await timeOf(page, url, true);

	for (let i = 0; i < 3; i++)
		blank.push(await timeOf(page, "data:text/html,<p>nothing", false));
	const loads = opened / blank.sort((a, b) => a - b)[1];

	console.log(`opened ${opened.toFixed(0)} ms, as long as ` +
		`${loads.toFixed(0)} loads of nothing, ` +
		`${(readFileSync(file).length / 1e6).toFixed(2)} MB`);
	await page.goto(url);
	await page.waitForSelector("html[data-ready]");
}

const browser = await chromium.launch({
	executablePath: process.env.CHROMIUM,
	chromiumSandbox: process.getuid() !== 0,
});

async function checkAll(page) {
	await checkElements(page);
	await checkTabs(page);
	await checkKeyboard(page);
	await checkDark(page);
	await checkPaper(page);
	await checkWithoutScripts(browser);
}

try {
	const page = await open(browser);

	page.setDefaultTimeout(60000);
	await measure(page);
	if (what !== "open")
		await checkAll(page);
} catch (e) {
	faults.push(e.message);
} finally {
	await browser.close();
}
for (const f of new Set(faults))
	console.log(`fault: ${f}`);
process.exit(faults.length ? 1 : 0);
