import type { CatalogueListing } from '@foldmesh/client';
import { Digest, sha256Hex } from '@foldmesh/envelope';
import { expect, it } from 'vitest';
import { type Around, toolProblems } from './tool-problems.ts';

const url = 'http://127.0.0.1:8080';
const offer = (kind: 'agent' | 'tool', name: string, needs_tools?: readonly string[]) => ({
  kind,
  name,
  pool: 'default',
  digest: Digest.parse(sha256Hex(name)),
  ...(needs_tools !== undefined && { needs_tools }),
});
const mesh = (...offers: CatalogueListing['offers']): Around['mesh'] => ({ url, offers });
const clerk = { name: 'clerk', file: 'agents/clerk.yaml', needs: ['files.read', 'files.lst'] };

it('names agent, file and tool, what to do, and the name that may have been meant', () => {
  expect(toolProblems({ agents: [clerk], tools: ['files.read', 'files.list'] })).toEqual([
    'agents/clerk.yaml: agent clerk names the tool files.lst, which is neither built in nor defined here: correct the name, or define the tool in the folder that the setting tools names; did you mean files.list?',
  ]);
});

it('takes a tool that the mesh offers for one that there is, and says where it has looked', () => {
  const around = { agents: [clerk], tools: ['files.read'] };
  expect(toolProblems({ ...around, mesh: mesh(offer('tool', 'files.lst')) })).toEqual([]);
  expect(toolProblems({ ...around, mesh: mesh() })).toEqual([
    expect.stringContaining(`neither built in nor defined here, nor offered by ${url}: `),
  ]);
});

it('looks at the agents of the mesh too, whose tools are those of its gateways alone', () => {
  const far = mesh(offer('agent', 'far', ['files.read', 'lab.eat']), offer('tool', 'lab.eat'));
  expect(toolProblems({ agents: [], tools: ['files.read'], mesh: far })).toEqual([
    expect.stringMatching(/^http:\/\/127.* agent far names the tool files\.read, which nobody offers: /),
  ]);
  // One that is defined here as well has been looked at here.
  const known = mesh(offer('agent', 'clerk', ['nobody.has']));
  expect(toolProblems({ agents: [{ ...clerk, needs: [] }], tools: [], mesh: known })).toEqual([]);
});
