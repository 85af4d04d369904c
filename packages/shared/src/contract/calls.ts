import type { z } from 'zod'
import type { Contract } from './index.ts'
import type { PartOf, RouteSpec } from './route.ts'

export type ContractKey = keyof Contract

/** Keys of the routes whose specification has a certain field, such as `events`. */
export type KeyWith<Name extends keyof RouteSpec> = {
  [Key in ContractKey]: Contract[Key] extends Record<Name, unknown> ? Key : never
}[ContractKey]

type DeepReadonly<Value> = Value extends object ? { readonly [Name in keyof Value]: DeepReadonly<Value[Name]> } : Value

/** Value of a query field as callers may pass it, which may be a boolean or a number, although the server parses text. */
type QueryValue<Input, Output> = (unknown extends Input ? Output : Input) | (boolean extends Output ? boolean : never)

/** Query values before they become text; null omits a field. */
type QueryOf<Schema extends z.ZodType> = {
  [Name in keyof z.input<Schema>]: DeepReadonly<
    QueryValue<z.input<Schema>[Name], z.output<Schema>[Name & keyof z.output<Schema>]>
  > | null
}

type Field<Name extends string, Value> = object extends Value ? { [Key in Name]?: Value } : { [Key in Name]: Value }

/** Parameters, query and body of a call, as its route declares them. */
export type CallOf<Key extends ContractKey> = (PartOf<Contract[Key], 'params'> extends infer Schema extends z.ZodType
  ? { params: { readonly [Name in keyof z.input<Schema>]: string | number } }
  : { params?: never }) &
  (PartOf<Contract[Key], 'query'> extends infer Schema extends z.ZodType
    ? Field<'query', QueryOf<Schema>>
    : { query?: never }) &
  (PartOf<Contract[Key], 'body'> extends infer Schema extends z.ZodType
    ? Field<'json', DeepReadonly<z.input<Schema>>>
    : PartOf<Contract[Key], 'jsonAlternative'> extends infer Schema extends z.ZodType
      ? { json?: DeepReadonly<z.input<Schema>> }
      : { json?: never })

/** Response body of a route; undefined for none. */
export type ResponseOf<Key extends ContractKey> =
  PartOf<Contract[Key], 'response'> extends infer Responses
    ? {
        [Status in keyof Responses]: Responses[Status] extends z.ZodType ? z.input<Responses[Status]> : never
      }[keyof Responses]
    : never
