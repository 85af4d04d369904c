import { type Contract, contract } from '@mira/shared/contract'
import type { PartOf, RouteSpec } from '@mira/shared/contract/route'
import type {
  FastifyInstance,
  FastifySchemaCompiler,
  FastifySerializerCompiler,
  FastifyTypeProvider,
  HTTPMethods,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
} from 'fastify'
import { z } from 'zod'

/** Types a handler's request and reply from the route's zod schemas. */
export interface ZodTypeProvider extends FastifyTypeProvider {
  validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown
  serializer: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown
}

/** Validates with zod; the error handler responds with 422. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema }) => {
  return (data) => {
    const result = schema.safeParse(data)
    return result.success ? { value: result.data } : { error: result.error }
  }
}

/** Serialises with zod: fields that aren't in the schema never leave the server. */
export const serializerCompiler: FastifySerializerCompiler<z.ZodType> = ({ schema }) => {
  return (data) => JSON.stringify(z.encode(schema, data))
}

type Handler<Spec> = RouteHandlerMethod<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  RouteGenericInterface,
  unknown,
  {
    params: PartOf<Spec, 'params'>
    querystring: PartOf<Spec, 'query'>
    headers: PartOf<Spec, 'headers'>
    body: PartOf<Spec, 'body'>
    response: PartOf<Spec, 'response'>
  },
  ZodTypeProvider
>

/** This server's exceptions to the contract of a route. */
interface ServeOptions {
  access?: RouteSpec['access']
  exposeHeadRoute?: boolean
}

/** Registers a contract route's handler; its requests are validated and its responses serialised by the contract. */
export function serve<Key extends keyof Contract>(
  app: FastifyInstance,
  key: Key,
  handler: Handler<Contract[Key]>,
  { exposeHeadRoute = true, ...exceptions }: ServeOptions = {},
): void {
  const [method, url] = key.split(' ') as [HTTPMethods, string]
  const { params, query, headers, body, response, bodyLimit, ...config }: RouteSpec = contract[key]
  const schemas = Object.entries({ params, querystring: query, headers, body, response })
  app.route({
    method,
    url,
    exposeHeadRoute,
    config: { ...config, ...exceptions },
    // Fastify warns about undefined schemas
    schema: Object.fromEntries(schemas.filter(([, schema]) => schema !== undefined)),
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    handler: handler as never,
  })
}
