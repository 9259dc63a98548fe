import { isJsonObject, type Json, type JsonObject } from '@foldmesh/envelope';

/** Of each task with a `for_each` how many items it has, as far as the job as it is written says: a list, or an input that is one. */
export const itemCounts = (job: Json): ReadonlyMap<string, number> => {
  const { plan = null, inputs = null } = isJsonObject(job) ? job : {};
  const tasks = isJsonObject(plan) ? plan['tasks'] : undefined;
  const counts = new Map<string, number>();
  for (const task of Array.isArray(tasks) ? tasks : []) {
    if (!isJsonObject(task) || typeof task['id'] !== 'string') continue;
    const items = itemsOf(task['for_each'], isJsonObject(inputs) ? inputs : {});
    if (items !== undefined) counts.set(task['id'], items.length);
  }
  return counts;
};

const itemsOf = (each: Json | undefined, inputs: JsonObject): readonly Json[] | undefined => {
  if (Array.isArray(each)) return each;
  const name = typeof each === 'string' ? /^\$\{inputs\.([^.}]+)\}$/.exec(each)?.[1] : undefined;
  const given = name !== undefined && Object.hasOwn(inputs, name) ? inputs[name] : undefined;
  return Array.isArray(given) ? given : undefined;
};
