import type { Asker } from '../../../asker.ts'

/** What a conversation's surroundings, such as its project, bring to its answers. */
export interface Frame {
  /** Told to the model beside who the assistant is; empty for nothing. */
  instructions: string
  /** What a conversation begins with where its person picked nothing. */
  model: string | null
  /** Ids of the only items of the memory that are looked at; undefined for all. */
  knowledge: string[] | undefined
}

export const NO_FRAME: Frame = { instructions: '', model: null, knowledge: undefined }

/** What belongs to a conversation; null for none. */
export interface FramePlace {
  projectId: string | null
}

/** Reads what is around a conversation of a person. @throws NotFoundError when it is not theirs. */
export type ReadFrame = (asker: Asker, place: FramePlace) => Promise<Frame>
