/** Whether two values are written down alike; what is undefined is not there. Nothing is written to find out. */
export const sameJson = (one: unknown, other: unknown): boolean => {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other))
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((element, index) => sameJson(element, other[index]))
    );
  const [left, right] = [fieldsOf(one), fieldsOf(other)];
  return (
    left.length === right.length &&
    left.every(([name, value]) => Object.hasOwn(other, name) && sameJson(value, Reflect.get(other, name)))
  );
};

const fieldsOf = (value: object): readonly (readonly [string, unknown])[] =>
  Object.entries(value).filter(([, inner]) => inner !== undefined);
