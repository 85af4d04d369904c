import { NotFoundError, ValidationError } from '../../errors.ts'

export const noSession = () => new NotFoundError('This conversation is not there any more.')
export const noMessage = () => new NotFoundError('This message is not part of the conversation.')
export const noItem = () => new NotFoundError('An attached item is not there any more.')
export const noAnswer = () =>
  new ValidationError('This message is not an answer of the assistant.', { code: 'not_an_answer' })
