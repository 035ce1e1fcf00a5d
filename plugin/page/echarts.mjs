// SPDX-License-Identifier: GPL-2.0-only OR MIT
// What of Apache ECharts the page needs, and no more: the bundle holds what
// is named here.
import { BarChart, CustomChart, LineChart, ScatterChart } from "echarts/charts";
import {
	DataZoomComponent,
	GridComponent,
	LegendComponent,
	TooltipComponent,
	VisualMapComponent,
} from "echarts/components";
import { init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

use([BarChart, CustomChart, LineChart, ScatterChart, DataZoomComponent,
     GridComponent, LegendComponent, TooltipComponent, VisualMapComponent,
     CanvasRenderer]);

export { init };
