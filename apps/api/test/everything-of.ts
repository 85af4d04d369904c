import type { Database } from '../src/platform/database/client.ts'
import type { ResourceIds } from './access-table/access-line.ts'
import {
  insertAgentRun,
  insertApiToken,
  insertAuthSession,
  insertChatSession,
  insertEffectImage,
  insertEffectRecipe,
  insertFact,
  insertHook,
  insertImport,
  insertMcpServer,
  insertMediaItem,
  insertMoment,
  insertPartialUpload,
  insertPasskey,
  insertPersona,
  insertPicture,
  insertProgram,
  insertProject,
  insertPrompt,
  insertReminder,
  insertSearch,
  insertShare,
} from './factories.ts'

/** Stores one resource of each kind that a request can name. @returns their ids. */
export async function insertOneOfEach(database: Database, userId: string): Promise<ResourceIds> {
  const { session, question, answer } = await insertChatSession(database, userId)
  await insertPicture(database, userId, question.id)
  const mediaItem = await insertMediaItem(database, userId)
  return {
    user: userId,
    authSession: (await insertAuthSession(database, userId)).id,
    apiToken: (await insertApiToken(database, userId)).id,
    program: (await insertProgram(database, userId)).id,
    passkey: (await insertPasskey(database, userId)).id,
    chatSession: session.id,
    question: question.id,
    answer: answer.id,
    mediaItem: mediaItem.id,
    partialUpload: (await insertPartialUpload(database, userId)).id,
    moment: (await insertMoment(database, mediaItem)).id,
    search: (await insertSearch(database, userId)).id,
    effectImage: (await insertEffectImage(database, userId)).id,
    effectRecipe: (await insertEffectRecipe(database, userId)).id,
    hook: (await insertHook(database, userId)).id,
    mcpServer: (await insertMcpServer(database, userId)).id,
    import: (await insertImport(database, userId)).id,
    share: (await insertShare(database, userId, { sessionId: session.id, untilMessageId: answer.id })).id,
    reminder: (await insertReminder(database, userId)).id,
    persona: (await insertPersona(database, userId)).id,
    project: (await insertProject(database, userId)).id,
    prompt: (await insertPrompt(database, userId)).id,
    fact: (await insertFact(database, userId)).id,
    agentRun: (await insertAgentRun(database, userId)).id,
  }
}
