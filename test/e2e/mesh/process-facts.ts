import { readdir, readFile, readlink } from 'node:fs/promises';

/** What the system says of a process: bytes of memory that it holds. */
export const residentBytes = async (pid: number): Promise<number> => {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
};

/** How many sockets it has open. */
export const openSockets = async (pid: number): Promise<number> => {
  const files = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')));
  return links.filter((link) => link.startsWith('socket:')).length;
};
