import { z } from 'zod'

/** A sentence as a code with parameters, for translation. */
export const codedSentenceSchema = z.object({
  code: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
})
export type CodedSentence = z.infer<typeof codedSentenceSchema>

type NoParams = Record<string, never>
type ModelParams = { model: string }
type ServerParams = { address: string }
/** `kind` is picture, pdf, document or file; for one of several pictures it's `named`, with `name`. */
type ContentParams = { kind: string; name?: string }
/** `kind` is video or audio. */
type SoundParams = { kind: string }
type CountParams = { count: number }

/**
 * Parameters of each sentence, by code. Clients that don't know a code show the English text. In the catalogue every sentence
 * also has the parameter `audience` (admin or user): only administrators read parts about the setup.
 */
export interface SentenceParams {
  // parts of the server
  database_silent: NoParams
  storage_unwritable: NoParams
  storage_silent: NoParams
  files_unavailable: NoParams
  proxy_untrusted: NoParams
  audit_broken: { at: string }
  storage_low: { megabytes: number }
  queue_stopped: NoParams
  queue_silent: NoParams
  no_worker: NoParams
  no_cage: NoParams
  no_cage_here: NoParams
  no_cage_held: NoParams
  no_parser_service: NoParams
  files_refused: NoParams
  read_unsandboxed: NoParams
  engine_hidden: NoParams
  reason_hidden: NoParams
  built_in_answers: NoParams
  no_agents: NoParams
  agents_failing: { names: string }
  no_news_feeds: NoParams
  // backups
  backup_no_room: { needed: number; free: number }
  backup_put_by_hand: { count: number; megabytes: number; name: string }
  backup_disk_full: NoParams
  backup_folder_unwritable: { path: string; cause: string }
  backup_interrupted: { times: number }
  backup_failed: { said: string }
  backup_lacks_files: { count: number }
  update_backup_failed: { said: string }
  offsite_failed: { said: string }
  offsite_not_pruned: { said: string }
  proof_failed: { said: string }
  proof_no_room: { needed: number; free: number }
  proof_interrupted: { times: number }
  proof_timeout: { minutes: number }
  files_damaged: { count: number }
  files_given_up: { count: number }
  // imports
  /** `source` is one of importSources, without its hyphen. */
  import_other_source: { source: string }
  /** Follows `import_other_source` when the file's program was recognised. */
  import_seems_of: { source: string }
  import_damaged: NoParams
  import_too_large: NoParams
  import_memory: NoParams
  import_encrypted: NoParams
  import_unsupported_zip: NoParams
  import_slow: NoParams
  import_failed: NoParams
  import_entry_unreadable: NoParams
  import_too_many: { max: number }
  import_picture_missing: NoParams
  import_picture_refused: { said: string }
  import_nested_archive: NoParams
  import_unsupported: NoParams
  import_entry_damaged: NoParams
  import_entry_too_large: NoParams
  import_entry_packed: NoParams
  import_entry_encrypted: NoParams
  import_entry_unavailable: NoParams
  import_nothing: NoParams
  import_server_empty: NoParams
  import_server_away: NoParams
  import_server_private: NoParams
  import_server_other: NoParams
  import_key_refused: NoParams
  import_key_rights: { permission: string }
  import_key_gone: NoParams
  // refused files
  upload_empty: NoParams
  upload_damaged: NoParams
  upload_locked: NoParams
  upload_too_large: { megabytes: number }
  upload_archive: NoParams
  upload_iwork: NoParams
  upload_unreadable: NoParams
  /** `kind` is a format's name. */
  upload_type: { kind: string }
  upload_page: NoParams
  /** `kind` is svg, xml, playlist or postscript. */
  upload_text: { kind: string }
  /** `kind` is a media type. */
  upload_mismatch: { ending: string; kind: string; format: string }
  /** Follows others. */
  upload_formats: { formats: string }
  // capabilities without an engine
  turned_off: NoParams
  passkeys_unnamed: NoParams
  totp_unreadable: NoParams
  none_may_run_here: NoParams
  server_wanted: NoParams
  not_connected: { capability: string; variable: string }
  nothing_compares_pictures: NoParams
  nothing_reranks: NoParams
  no_engine: NoParams
  no_films: NoParams
  no_ocr: NoParams
  ocr_failed: { said: string }
  // model servers
  server_waiting: ServerParams
  not_listed: ServerParams & { capability: string; variable: string }
  model_gone: ServerParams & ModelParams
  model_timeout: ServerParams
  model_call_timeout: ServerParams & { seconds: number }
  answer_cut_off: ServerParams & { said: string }
  answer_broken_off: ServerParams
  answer_ended_empty: ServerParams
  answer_stopped: ServerParams & { reason: string }
  answer_fell_silent: ServerParams
  answer_not_begun: ServerParams & { seconds: number }
  /** `cause` is a network error's code, empty for none. */
  model_unreachable: ServerParams & { cause: string }
  answer_empty: ModelParams
  answer_declined: ModelParams
  answer_only_thoughts: ModelParams
  answer_too_long: NoParams
  answer_failed: NoParams
  answer_without_database: NoParams
  tools_repeated: ModelParams
  tools_unknown: ModelParams
  tools_too_many: NoParams
  no_model_server: NoParams
  context_too_long: ModelParams
  vision_unavailable: ModelParams
  vision_not_connected: NoParams
  capability_missing: ServerParams & ModelParams & { capability: string; said: string; variable: string }
  model_key_refused: ServerParams
  model_not_found: ServerParams & ModelParams & { variable: string }
  no_model_service: ServerParams
  page_instead_of_models: ServerParams
  connection_unreachable: ServerParams & { name: string; cause: string }
  connection_key_refused: { name: string }
  mcp_timeout: { name: string }
  /** `cause` is a network error's code. */
  mcp_unreachable: { name: string; cause: string }
  mcp_refused: { name: string; said: string }
  mcp_broken: { name: string; said: string }
  mcp_stdio_off: { name: string }
  // searching the web; `cause` is a network error's code
  web_search_unreachable: { cause: string }
  web_search_away: NoParams
  web_search_timeout: NoParams
  web_search_key_refused: NoParams
  web_search_no_json: NoParams
  web_search_nothing: { query: string }
  web_search_odd: { status: number }
  // watched folders
  folder_outside: { path: string }
  /** `cause` is a file system error's code. */
  folder_unreadable: { path: string; cause: string }
  folder_no_root: NoParams
  connection_without_model: ModelParams & { name: string }
  /** `seconds` is 0 when the server gave no time. */
  model_rate_limited: { seconds: number }
  model_rate_limited_long: { minutes: number }
  /** `status` is 0 when there was no response. */
  model_error: ServerParams & { status: number; said: string }
  model_error_silent: ServerParams & { status: number }
  // models on this machine
  local_downloading: ModelParams & { percent: number }
  local_failed: ModelParams & { said: string }
  local_waiting: ModelParams
  local_model_damaged: ModelParams & { said: string }
  local_model_slow: ModelParams
  local_model_memory: ModelParams & { megabytes: number }
  local_model_crashed: ModelParams
  local_model_unstartable: ModelParams
  local_model_busy: ModelParams
  local_model_unloadable: ModelParams & { said: string }
  local_model_failed: ModelParams & { said: string }
  local_later: ModelParams
  local_models_off: NoParams
  // results of engines
  caption_declined: ModelParams
  caption_empty: ServerParams
  speech_empty: ServerParams
  picture_empty: ServerParams
  local_order_useless: ModelParams
  speech_too_long: NoParams
  editor_away: NoParams
  order_useless: ServerParams & { said: string }
  vectors_useless: ServerParams & { said: string }
  vectors_of_other_model: ModelParams
  vectors_resized: ModelParams & { now: number; before: number }
  text_refused: ModelParams
  server_stops: NoParams
  nothing_describes: NoParams
  nothing_transcribes: NoParams
  nothing_reads: NoParams
  // results of processing a file
  storage_full: NoParams
  disk_too_full: NoParams
  content_damaged: ContentParams
  content_crashed: ContentParams
  content_slow: ContentParams
  content_memory: ContentParams
  content_locked: ContentParams
  content_unpacks: NoParams
  picture_damaged: ContentParams & { said: string }
  picture_too_large: ContentParams & { megapixels: number }
  picture_without_preview: ContentParams
  picture_unknown_coding: ContentParams
  no_picture: ContentParams
  picture_of_type: ContentParams & { type: string }
  /** `how` is slow, memory or damaged. */
  text_unreadable: { how: string }
  /** `kind` is picture, pdf, document, media, text or file. */
  reading_later: { kind: string }
  film_reader_missing: NoParams
  stream_missing: SoundParams
  streams_missing: NoParams
  unplayable: { format: string }
  step_absent: NoParams
  step_slow: NoParams
  step_unexpected: NoParams
  step_interrupted: NoParams
  step_given_up: NoParams
  item_unread: NoParams
  /** An earlier version stored only the text `said`. */
  from_before: { said: string }
  caption_unwanted: NoParams
  text_unwanted: NoParams
  without_sound: SoundParams
  without_moving_pictures: NoParams
  nothing_heard: SoundParams
  plays_as_it_is: NoParams
  text_without_pages: NoParams
  nothing_to_embed: NoParams
  nothing_to_look_at: NoParams
  frames_unread: CountParams
  pages_unread: CountParams
  /** Followed by a sentence with the reason. */
  pages_without_text: CountParams
  pictures_read: { count: number; read: number }
  pages_read: CountParams & { read: number }
  long_until_page: { page: number }
  long_beginning: NoParams
  partly_damaged: NoParams
  long_characters: CountParams
  pages_drawn: CountParams & { drawn: number }
  cover_unshown: NoParams
  picture_partly_shown: NoParams
  motion_unplayed: NoParams
  // tests of engines; `fits` is yes or no
  trial_chat: { question: string; answer: string }
  trial_vision: { answer: string }
  trial_vision_doubt: NoParams
  trial_caption: { answer: string }
  trial_embedding: { fits: string; one: string; alike: string; other: string; near: number; far: number }
  trial_dimensions: { count: number }
  trial_rerank: { fits: string; question: string; answering: string; other: string }
  trial_image_embedding: { fits: string; near: number; far: number }
  trial_ocr: { answer: string }
  trial_silence: { seconds: number }
  trial_heard: { seconds: number; answer: string }
  trial_speech: { sentence: string; bytes: number; type: string }
  trial_image_edit: { width: number; height: number }
  trial_empty: NoParams
  trial_slow: { seconds: number }
  trial_failed: NoParams
  // runs of the automation
  run_given_up: { times: number }
  run_moved: NoParams
  run_slow: { seconds: number }
  run_slow_minutes: { minutes: number }
  run_cancelled: NoParams
  run_failed: NoParams
  run_found_damage: NoParams
  /** `kind` is text or image. */
  no_vectors: { kind: string }
  /** Followed by a sentence with the failure. */
  item_failed: { item: string }
  /** `how` is missing or changed. */
  file_damaged: { item: string; how: string }
  /** `what` is intents or tags; percentages are 0 to 100. */
  learnt: { what: string; examples: number; percent: number; others: number }
  learnt_before: { percent: number }
  learnt_first: NoParams
  learnt_kept: NoParams
  learnt_dropped: NoParams
  too_few_tags: NoParams
  dataset_built: { kept: number; found: number }
  training_forbidden: NoParams
  training_unconnected: NoParams
  training_too_few: { least: number }
  training_unknown: NoParams
  training_started: ModelParams & { job: string }
  training_failed: { said: string }
  training_failed_silently: NoParams
  week_summed: { week: string; count: number }
}
export type SentenceCode = keyof SentenceParams
