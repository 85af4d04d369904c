import type { Access } from '@mira/shared'

/** Ids of a user's resources, one of each kind. */
export interface ResourceIds {
  user: string
  authSession: string
  apiToken: string
  passkey: string
  program: string
  chatSession: string
  question: string
  answer: string
  mediaItem: string
  partialUpload: string
  moment: string
  search: string
  effectImage: string
  effectRecipe: string
  hook: string
  mcpServer: string
  import: string
  share: string
  reminder: string
  fact: string
  prompt: string
  project: string
  persona: string
  agentRun: string
}

/** A request that names another user's resource, which must look as if it didn't exist. */
interface ForeignRequest {
  path?: string
  body?: object
  /** By default 404; any other status must reveal as little. */
  status?: number
  response?: object
}

/** Expected access of a route. */
export interface AccessLine {
  access: Access
  /** Required when the path has a parameter: what happens with another user's ids, wherever a request can name one. */
  foreign?: (
    ids: ResourceIds,
    mine: { chatSession: string; search: string; project: string; persona: string },
  ) => ForeignRequest[]
}

/** Lines by route: `GET /api/models`. */
export type AccessLines = Readonly<Record<string, AccessLine>>
