// A click on a frame gives it the whole width; a click on the bottom frame gives everything back.
(function () {
  var svg = document.documentElement;
  var width = svg.viewBox.baseVal.width;
  var frames = Array.prototype.map.call(svg.querySelectorAll("g"), function (group) {
    var rect = group.querySelector("rect");
    var name = group.querySelector("title").textContent.replace(/ \([^(]*\)$/, "");
    return {
      group: group, rect: rect, text: group.querySelector("text"), name: name,
      x: +rect.getAttribute("x"), width: +rect.getAttribute("width"),
    };
  });
  function show(from, to) {
    var scale = width / (to - from);
    frames.forEach(function (frame) {
      var left = Math.max(frame.x, from), right = Math.min(frame.x + frame.width, to);
      var wide = (right - left) * scale;
      frame.group.style.display = wide > 0.3 ? "" : "none";
      if (wide <= 0.3) { return; }
      var x = (left - from) * scale, room = Math.floor((wide - 6) / 6.6);
      frame.rect.setAttribute("x", x);
      frame.rect.setAttribute("width", wide);
      frame.text.setAttribute("x", x + 3);
      frame.text.textContent = frame.name.length <= room ? frame.name
        : room < 3 ? "" : frame.name.slice(0, room - 1) + "…";
    });
  }
  frames.forEach(function (frame) {
    frame.rect.addEventListener("click", function () { show(frame.x, frame.x + frame.width); });
  });
})();
