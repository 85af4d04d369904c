-- What is new waits in a list beside a GIN index, which every search reads from end to end until a vacuum. At PostgreSQL's
-- 4 MB, searches took twice as long after a large import; a short list costs inserts nothing that could be measured.
ALTER INDEX "moments_tsv_idx" SET (gin_pending_list_limit = 128);
ALTER INDEX "moments_body_trgm_idx" SET (gin_pending_list_limit = 128);
ALTER INDEX "chat_messages_tsv_idx" SET (gin_pending_list_limit = 128);
ALTER INDEX "chat_messages_searched_content_trgm_idx" SET (gin_pending_list_limit = 128);
ALTER INDEX "chat_sessions_session_name_trgm_idx" SET (gin_pending_list_limit = 128);
ALTER INDEX "media_items_original_filename_trgm_idx" SET (gin_pending_list_limit = 128);
ALTER INDEX "media_items_tags_idx" SET (gin_pending_list_limit = 128);
ALTER INDEX "media_items_tags_lower_case_idx" SET (gin_pending_list_limit = 128);
