import canonicalize from 'canonicalize';
import { z } from 'zod';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** Any JSON value. It is not walked: what reaches a schema has come out of `JSON.parse`. */
export const json = z.custom<Json>((value) => value !== undefined, 'a JSON value is missing');

/** An object, not an array and not null. */
export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether arrays and objects lie inside one another more than `max` deep; stops looking as soon as it knows. */
export const nestsDeeperThan = (value: Json, max: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (max === 0) return true;
  return Object.values(value).some((inner) => nestsDeeperThan(inner, max - 1));
};

/** RFC 8785: one text for one value, whatever the order of its keys. */
export const canonicalJson = (value: unknown): string => canonicalize(value) ?? 'null';
