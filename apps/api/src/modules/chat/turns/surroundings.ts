import type { Mention } from '@mira/shared'
import type { Caller } from '../../../caller.ts'
import type { MentionsService } from '../mentions/mentions.service.ts'
import type { PersonasService } from '../personas/personas.service.ts'
import type { ProjectsService } from '../projects/projects.service.ts'
import type { ChosenEngine } from './choose-engine.ts'

/** Settings that a conversation's project and persona bring to its answers. */
export interface Surroundings {
  /** Told to the model beside who the assistant is; empty for nothing. */
  instructions: string
  /** Initial model when the user picked none. */
  model: string | null
  /** Ids of the only items of the memory that are looked at; undefined for all. */
  knowledge: string[] | undefined
  /** Names of the only tools that may be used; undefined for all. */
  allowedTools: string[] | undefined
  /** Names of the tools that the message itself asks for, as models call them; undefined for none. */
  calledTools?: string[] | undefined
}

export const NO_SURROUNDINGS: Surroundings = {
  instructions: '',
  model: null,
  knowledge: undefined,
  allowedTools: undefined,
}

interface SurroundingsDeps {
  personas: PersonasService
  projects: ProjectsService
  mentions: MentionsService
}

/** Project and persona of a conversation; null for none. */
export interface SurroundingIds {
  projectId: string | null
  personaId: string | null
}

export type ReadSurroundings = ReturnType<typeof createReadSurroundings>

/** Reads the settings that a conversation's project and persona and a message's mentions bring to an answer. */
export function createReadSurroundings({ personas, projects, mentions }: SurroundingsDeps) {
  /** @throws NotFoundError when the project isn't the user's, ForbiddenError when a mentioned agent may not be used. */
  return async (caller: Caller, { projectId, personaId }: SurroundingIds, named: Mention[] = []) => {
    const [persona, project] = await Promise.all([
      personaId === null ? NO_SURROUNDINGS : personas.surroundingsOf(caller.userId, personaId),
      projectId === null ? NO_SURROUNDINGS : projects.surroundingsOf(caller, projectId),
    ])
    // a persona that is no longer shared leaves other users' conversations without it
    const joined = joinSurroundings(persona ?? NO_SURROUNDINGS, { ...project, allowedTools: undefined })
    return named.length === 0 ? joined : mentions.apply(caller, named, joined)
  }
}

/** The surroundings of a persona and a project as one: the persona's model comes first, and what either knows is looked at. */
export function joinSurroundings(persona: Surroundings, project: Surroundings): Surroundings {
  const known = [persona.knowledge, project.knowledge].filter((ids) => ids !== undefined)
  return {
    instructions: [persona.instructions, project.instructions].filter(Boolean).join('\n\n'),
    model: persona.model ?? project.model,
    knowledge: known.length === 0 ? undefined : [...new Set(known.flat())],
    allowedTools: persona.allowedTools,
  }
}

/** Project and persona of a conversation; none for a new one. */
export function surroundingIdsOf(stored: SurroundingIds | null): SurroundingIds {
  return { projectId: stored?.projectId ?? null, personaId: stored?.personaId ?? null }
}

/** The part of a choice, and of what is around the conversation, that an answer is made with. */
export function answeredBy(
  { engine, seesPictures, isPicked, choice: { parameters } }: ChosenEngine,
  { instructions, knowledge, allowedTools, calledTools }: Surroundings,
) {
  return { engine, seesPictures, isPicked, parameters, instructions, knowledge, allowedTools, calledTools }
}
