"use strict";
const inflate = async (key) => {
  const packed = Uint8Array.from(atob(document.getElementById(key).textContent), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
};
const plotlyReady = inflate("plotly").then((text) => {
  const script = document.createElement("script");
  script.textContent = text;
  document.head.append(script);
});
plotlyReady.catch(() => {
  for (const plot of document.querySelectorAll(".plot")) plot.textContent = "This browser is too old to draw figures; one from 2023 or later can.";
});
