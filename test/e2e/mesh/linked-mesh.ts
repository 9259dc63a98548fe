import { type TcpProxy, tcpProxy } from '@foldmesh/testbed';
import { type MeshChoice, type RealMesh, realMesh } from './real-mesh.ts';

/** A mesh that reaches NATS through a network that can be made as bad as one likes. */
export interface LinkedMesh extends AsyncDisposable {
  readonly mesh: RealMesh;
  readonly link: TcpProxy;
}

export const linkedMesh = async (choice: MeshChoice = {}): Promise<LinkedMesh> => {
  await using opened = new AsyncDisposableStack();
  const { promise: linked, resolve } = Promise.withResolvers<TcpProxy>();
  const mesh = opened.use(
    await realMesh({
      workers: 2,
      ...choice,
      natsUrl: async (server) => {
        const link = opened.use(await tcpProxy(server));
        resolve(link);
        return link.url('nats');
      },
    }),
  );
  const link = await linked;
  const held = opened.move();
  return { mesh, link, [Symbol.asyncDispose]: () => held.disposeAsync() };
};
