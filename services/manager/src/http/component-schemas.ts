import {
  Accepted,
  Artifact,
  ArtifactPage,
  CancelReceipt,
  CancelRequest,
  CatalogueListing,
  Cause,
  InputAnswer,
  InputReceipt,
  InputRequest,
  JobPage,
  JobRecord,
  JobSpec,
  JobStatus,
  JobSummary,
  JournalEntry,
  JournalPage,
  Live,
  PlanPreview,
  ProblemDetails,
  Ready,
  RunMessage,
  RunMessages,
  StreamEvent,
  TaskAttempt,
  TaskDetail,
  TaskRecord,
  TaskStatus,
  TokenDelta,
  Wait,
  WaitReason,
  Why,
  Wrong,
} from '@foldmesh/client';
import { Fault } from '@foldmesh/envelope';
import { z } from 'zod';

/** Every schema of the API that has a name. What one has of another is told by reference. */
const named = {
  Accepted,
  Artifact,
  ArtifactPage,
  CancelReceipt,
  CancelRequest,
  CatalogueListing,
  Cause,
  Fault,
  InputAnswer,
  InputReceipt,
  InputRequest,
  JobPage,
  JobRecord,
  JobSpec,
  JobStatus,
  JobSummary,
  JournalEntry,
  JournalPage,
  Live,
  PlanPreview,
  ProblemDetails,
  Ready,
  RunMessage,
  RunMessages,
  StreamEvent,
  TaskAttempt,
  TaskDetail,
  TaskRecord,
  TaskStatus,
  TokenDelta,
  Wait,
  WaitReason,
  Why,
  Wrong,
};
export type SchemaName = keyof typeof named;

export const schemaRef = (name: SchemaName): { readonly $ref: string } => ({
  $ref: `#/components/schemas/${name}`,
});

/** The schemas as JSON Schema 2020-12, which is what OpenAPI 3.1 speaks: by zod itself, so that nothing is lost on the way. */
export const componentSchemas = (): Readonly<Record<string, object>> => {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => schemaRef(id as SchemaName).$ref, // the ids are those of `named`
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // Of a type that a program may not change; the document would have it mean a field that nobody may send.
      delete jsonSchema.readOnly;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema]),
  );
};
