() => { // from a key to the paint of the next case; for lab/desk.py
  window.painted = [];
  let pressedAt = null;
  document.addEventListener("keydown", (event) => { pressedAt = event.timeStamp; }, true);
  document.addEventListener("case:shown", () => {
    if (pressedAt === null) return;
    const began = pressedAt;
    pressedAt = null;
    requestAnimationFrame(() => {
      const channel = new MessageChannel(); // its message comes after the frame was painted
      channel.port1.onmessage = () => window.painted.push(performance.now() - began);
      channel.port2.postMessage(null);
    });
  });
}
