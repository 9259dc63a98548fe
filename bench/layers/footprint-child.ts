// Loaded into a service before its own code: at each SIGUSR2 it cleans up and says what the process weighs.
let asked = 0;
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  asked += 1;
  process.stderr.write(`{"footprint":${asked},"rss":${rss},"heap":${heapUsed}}\n`);
});
