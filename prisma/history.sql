-- The migrations until 2026-11-28, for databases and backups that have some of them; a new database gets the baseline in
-- prisma/migrations instead. Each text is as it landed: databases keep its checksum, so nothing below may be edited.
-- migration 20261120120000_spine
-- What Prisma cannot say stands first (extensions) and last (checks, partial and expression indexes).
CREATE EXTENSION IF NOT EXISTS vector;
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- CreateTable
CREATE TABLE "users" (
    "id" UUID NOT NULL,
    "username" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "full_name" TEXT,
    "password_hash" TEXT NOT NULL,
    "role" TEXT NOT NULL DEFAULT 'user',
    "can_chat" BOOLEAN NOT NULL DEFAULT true,
    "can_upload" BOOLEAN NOT NULL DEFAULT false,
    "can_use_voice" BOOLEAN NOT NULL DEFAULT false,
    "can_use_agents" BOOLEAN NOT NULL DEFAULT false,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "time_zone" TEXT NOT NULL DEFAULT 'UTC',
    "language" TEXT NOT NULL DEFAULT 'en',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_active_at" TIMESTAMPTZ(3),

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "auth_sessions" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "user_agent" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "auth_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_tokens" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "secret_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "login_failures" (
    "id" BIGSERIAL NOT NULL,
    "username" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "login_failures_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "chat_sessions" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "session_name" TEXT NOT NULL,
    "session_name_by" TEXT NOT NULL DEFAULT 'auto',
    "completed_at" TIMESTAMPTZ(3),
    "sentiment" TEXT NOT NULL DEFAULT 'neutral',
    "current_message_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "chat_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "chat_messages" (
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "parent_id" UUID,
    "role" TEXT NOT NULL,
    "content" TEXT NOT NULL DEFAULT '',
    "state" TEXT NOT NULL DEFAULT 'complete',
    "error" TEXT,
    "error_code" TEXT,
    "client_id" TEXT,
    "engine" TEXT,
    "model_used" TEXT,
    "input_tokens" INTEGER,
    "output_tokens" INTEGER,
    "duration_ms" INTEGER,
    "first_token_ms" INTEGER,
    "sources" JSONB NOT NULL DEFAULT '[]',
    "agent_calls" JSONB NOT NULL DEFAULT '[]',
    "rating" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lang" regconfig NOT NULL DEFAULT 'simple'::regconfig,
    "tsv" tsvector GENERATED ALWAYS AS (to_tsvector(lang, content)) STORED,

    CONSTRAINT "chat_messages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "chat_answers" (
    "message_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "server_id" UUID NOT NULL,
    "heartbeat_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "stop_requested" BOOLEAN NOT NULL DEFAULT false,
    "finished_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "chat_answers_pkey" PRIMARY KEY ("message_id")
);

-- CreateTable
CREATE TABLE "chat_answer_events" (
    "message_id" UUID NOT NULL,
    "seq" INTEGER NOT NULL,
    "event" JSONB NOT NULL,

    CONSTRAINT "chat_answer_events_pkey" PRIMARY KEY ("message_id","seq")
);

-- CreateTable
CREATE TABLE "activities" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "outcome" TEXT NOT NULL DEFAULT 'completed',
    "subject_id" UUID,
    "detail_id" UUID,
    "duration_ms" INTEGER,
    "first_token_ms" INTEGER,
    "input_tokens" INTEGER,
    "output_tokens" INTEGER,
    "detail" JSONB NOT NULL DEFAULT '{}',
    "in_analytics" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "activities_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "settings" (
    "key" TEXT NOT NULL,
    "value" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "settings_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "auth_sessions_user_id_idx" ON "auth_sessions"("user_id");

-- CreateIndex
CREATE INDEX "auth_sessions_expires_at_idx" ON "auth_sessions"("expires_at");

-- CreateIndex
CREATE INDEX "api_tokens_user_id_idx" ON "api_tokens"("user_id");

-- CreateIndex
CREATE INDEX "login_failures_username_created_at_idx" ON "login_failures"("username", "created_at");

-- CreateIndex
CREATE INDEX "login_failures_address_created_at_idx" ON "login_failures"("address", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "chat_sessions_current_message_id_key" ON "chat_sessions"("current_message_id");

-- CreateIndex
CREATE INDEX "chat_sessions_user_id_updated_at_id_idx" ON "chat_sessions"("user_id", "updated_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "chat_sessions_session_name_trgm_idx" ON "chat_sessions" USING GIN ("session_name" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "chat_messages_session_id_created_at_idx" ON "chat_messages"("session_id", "created_at");

-- CreateIndex
CREATE INDEX "chat_messages_parent_id_idx" ON "chat_messages"("parent_id");

-- CreateIndex
CREATE INDEX "chat_messages_tsv_idx" ON "chat_messages" USING GIN ("tsv");

-- CreateIndex
CREATE INDEX "chat_messages_content_trgm_idx" ON "chat_messages" USING GIN ("content" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "chat_answers_session_id_created_at_idx" ON "chat_answers"("session_id", "created_at");

-- CreateIndex
CREATE INDEX "chat_answers_user_id_idx" ON "chat_answers"("user_id");

-- CreateIndex
CREATE INDEX "chat_answers_server_id_idx" ON "chat_answers"("server_id");

-- CreateIndex
CREATE INDEX "activities_user_id_created_at_idx" ON "activities"("user_id", "created_at" DESC);

-- CreateIndex
CREATE INDEX "activities_created_at_idx" ON "activities"("created_at");

-- CreateIndex
CREATE INDEX "activities_subject_id_idx" ON "activities"("subject_id");

-- AddForeignKey
ALTER TABLE "auth_sessions" ADD CONSTRAINT "auth_sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_current_message_id_fkey" FOREIGN KEY ("current_message_id") REFERENCES "chat_messages"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "chat_messages" ADD CONSTRAINT "chat_messages_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "chat_sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "chat_messages" ADD CONSTRAINT "chat_messages_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "chat_messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "chat_answers" ADD CONSTRAINT "chat_answers_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "chat_messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "chat_answers" ADD CONSTRAINT "chat_answers_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "chat_sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "chat_answers" ADD CONSTRAINT "chat_answers_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "chat_answer_events" ADD CONSTRAINT "chat_answer_events_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "chat_answers"("message_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "activities" ADD CONSTRAINT "activities_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Names and addresses are unique without regard to case.
CREATE UNIQUE INDEX "users_username_lower_key" ON "users" (lower("username"));
CREATE UNIQUE INDEX "users_email_lower_key" ON "users" (lower("email"));

-- The same message sent again is the same message. client_id comes first, so that it is found without a session, too.
CREATE UNIQUE INDEX "chat_messages_client_id_session_id_key" ON "chat_messages" ("client_id", "session_id") WHERE "client_id" IS NOT NULL;

-- At most one running answer per session.
CREATE UNIQUE INDEX "chat_answers_running_key" ON "chat_answers" ("session_id") WHERE "finished_at" IS NULL;
CREATE INDEX "chat_answers_finished_at_idx" ON "chat_answers" ("finished_at") WHERE "finished_at" IS NOT NULL;

-- Words from a fixed list.
ALTER TABLE "users" ADD CONSTRAINT "users_role_check" CHECK ("role" IN ('admin', 'user', 'guest'));
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_session_name_by_check" CHECK ("session_name_by" IN ('auto', 'user'));
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_sentiment_check" CHECK ("sentiment" IN ('positive', 'neutral', 'negative'));
ALTER TABLE "chat_messages" ADD CONSTRAINT "chat_messages_role_check" CHECK ("role" IN ('user', 'assistant'));
ALTER TABLE "chat_messages" ADD CONSTRAINT "chat_messages_state_check" CHECK ("state" IN ('streaming', 'complete', 'interrupted', 'failed'));
ALTER TABLE "chat_messages" ADD CONSTRAINT "chat_messages_rating_check" CHECK ("rating" IN ('up', 'down'));
ALTER TABLE "activities" ADD CONSTRAINT "activities_kind_check" CHECK ("kind" IN ('chat', 'upload', 'search', 'agent', 'effect', 'automation', 'account'));
ALTER TABLE "activities" ADD CONSTRAINT "activities_outcome_check" CHECK ("outcome" IN ('completed', 'failed', 'interrupted'));

-- Shapes and figures.
ALTER TABLE "chat_messages" ADD CONSTRAINT "chat_messages_lists_check" CHECK (jsonb_typeof("sources") = 'array' AND jsonb_typeof("agent_calls") = 'array');
ALTER TABLE "chat_messages" ADD CONSTRAINT "chat_messages_figures_check" CHECK ("input_tokens" >= 0 AND "output_tokens" >= 0 AND "duration_ms" >= 0 AND "first_token_ms" >= 0);
ALTER TABLE "chat_messages" ADD CONSTRAINT "chat_messages_parent_check" CHECK ("parent_id" <> "id");
ALTER TABLE "chat_answer_events" ADD CONSTRAINT "chat_answer_events_seq_check" CHECK ("seq" >= 1);
ALTER TABLE "activities" ADD CONSTRAINT "activities_figures_check" CHECK ("input_tokens" >= 0 AND "output_tokens" >= 0 AND "duration_ms" >= 0 AND "first_token_ms" >= 0);
-- migration 20261120135046_pictures
-- CreateTable
CREATE TABLE "chat_message_images" (
    "id" UUID NOT NULL,
    "message_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "width" INTEGER NOT NULL,
    "height" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "chat_message_images_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "media_items" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "media_type" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "original_filename" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "width" INTEGER,
    "height" INTEGER,
    "duration_seconds" DOUBLE PRECISION,
    "page_count" INTEGER,
    "taken_at" TIMESTAMPTZ(3),
    "caption" TEXT,
    "extracted_text" TEXT,
    "transcription" TEXT,
    "processing_status" TEXT NOT NULL DEFAULT 'pending',
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "media_items_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "loose_files" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "path" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "loose_files_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "chat_message_images_path_idx" ON "chat_message_images"("path");

-- CreateIndex
CREATE UNIQUE INDEX "chat_message_images_message_id_position_key" ON "chat_message_images"("message_id", "position");

-- CreateIndex
CREATE INDEX "media_items_user_id_created_at_id_idx" ON "media_items"("user_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "media_items_path_idx" ON "media_items"("path");

-- CreateIndex
CREATE UNIQUE INDEX "media_items_user_id_sha256_key" ON "media_items"("user_id", "sha256");

-- CreateIndex
CREATE INDEX "loose_files_due_at_idx" ON "loose_files"("due_at");

-- CreateIndex
CREATE INDEX "loose_files_path_idx" ON "loose_files"("path");

-- AddForeignKey
ALTER TABLE "chat_message_images" ADD CONSTRAINT "chat_message_images_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "chat_messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "media_items" ADD CONSTRAINT "media_items_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Whatever removes a row (its message, branch, conversation or account), its file is noted, to be deleted when no other row names it.
CREATE FUNCTION "note_loose_file"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "loose_files" ("path") VALUES (OLD."path");
  RETURN NULL;
END
$$;
CREATE TRIGGER "chat_message_images_note_file" AFTER DELETE ON "chat_message_images" FOR EACH ROW EXECUTE FUNCTION "note_loose_file"();
CREATE TRIGGER "media_items_note_file" AFTER DELETE ON "media_items" FOR EACH ROW EXECUTE FUNCTION "note_loose_file"();

-- Words from a fixed list.
ALTER TABLE "media_items" ADD CONSTRAINT "media_items_media_type_check" CHECK ("media_type" IN ('image', 'video', 'audio', 'document'));
ALTER TABLE "media_items" ADD CONSTRAINT "media_items_processing_status_check" CHECK ("processing_status" IN ('pending', 'processing', 'completed', 'failed'));

-- Shapes and figures.
ALTER TABLE "chat_message_images" ADD CONSTRAINT "chat_message_images_sha256_check" CHECK ("sha256" ~ '^[0-9a-f]{64}$');
ALTER TABLE "chat_message_images" ADD CONSTRAINT "chat_message_images_figures_check" CHECK ("position" >= 0 AND "size_bytes" > 0 AND "width" > 0 AND "height" > 0);
ALTER TABLE "media_items" ADD CONSTRAINT "media_items_sha256_check" CHECK ("sha256" ~ '^[0-9a-f]{64}$');
ALTER TABLE "media_items" ADD CONSTRAINT "media_items_figures_check" CHECK ("size_bytes" > 0 AND "width" > 0 AND "height" > 0 AND "duration_seconds" >= 0 AND "page_count" >= 0);
-- migration 20261120141410_chat_reasoning
-- AlterTable
ALTER TABLE "chat_messages" ADD COLUMN     "reasoning" TEXT;
-- migration 20261120141813_chat_branches
-- AlterTable
ALTER TABLE "chat_sessions" ADD COLUMN     "pinned_at" TIMESTAMPTZ(3);

-- First messages of a conversation: siblings that have no parent to be found by.
CREATE INDEX "chat_messages_first_idx" ON "chat_messages" ("session_id", "created_at", "id") WHERE "parent_id" IS NULL;
-- migration 20261120144619_search_beginning
-- A text search vector holds one megabyte: that of a long answer of many different words would not fit, and the answer
-- could not be stored. What an older PostgreSQL cannot do in place is dropped and made anew.
ALTER TABLE "chat_messages" DROP COLUMN "tsv";
ALTER TABLE "chat_messages"
  ADD COLUMN "tsv" tsvector GENERATED ALWAYS AS (to_tsvector(lang, left(content, 100000))) STORED;

-- CreateIndex
CREATE INDEX "chat_messages_tsv_idx" ON "chat_messages" USING GIN ("tsv");
-- migration 20261120145113_chat_summaries
-- CreateTable
CREATE TABLE "chat_summaries" (
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "until_message_id" UUID NOT NULL,
    "content" TEXT NOT NULL,
    "model" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "chat_summaries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "chat_summaries_session_id_idx" ON "chat_summaries"("session_id");

-- CreateIndex
CREATE INDEX "chat_summaries_until_message_id_idx" ON "chat_summaries"("until_message_id");

-- AddForeignKey
ALTER TABLE "chat_summaries" ADD CONSTRAINT "chat_summaries_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "chat_sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "chat_summaries" ADD CONSTRAINT "chat_summaries_until_message_id_fkey" FOREIGN KEY ("until_message_id") REFERENCES "chat_messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;
-- migration 20261120154833_memory
-- AlterTable
ALTER TABLE "media_items" ADD COLUMN     "camera" TEXT,
ADD COLUMN     "details" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN     "frames_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "keeps_place" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "latitude" DOUBLE PRECISION,
ADD COLUMN     "longitude" DOUBLE PRECISION,
ADD COLUMN     "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "thumbhash" TEXT,
ADD COLUMN     "wants_caption" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "wants_text" BOOLEAN NOT NULL DEFAULT true;

-- CreateTable
CREATE TABLE "media_steps" (
    "media_item_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "progress" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "engine" TEXT,
    "model" TEXT,
    "error" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "media_steps_pkey" PRIMARY KEY ("media_item_id","name")
);

-- CreateTable
CREATE TABLE "media_parts" (
    "id" UUID NOT NULL,
    "media_item_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "start_seconds" DOUBLE PRECISION,
    "path" TEXT NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "width" INTEGER NOT NULL,
    "height" INTEGER NOT NULL,
    "words" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "media_parts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "media_copies" (
    "media_item_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "width" INTEGER,
    "height" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "media_copies_pkey" PRIMARY KEY ("media_item_id","kind")
);

-- CreateTable
CREATE TABLE "moments" (
    "id" UUID NOT NULL,
    "media_item_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "frame_number" INTEGER,
    "page" INTEGER,
    "start_seconds" DOUBLE PRECISION,
    "end_seconds" DOUBLE PRECISION,
    "character_offset" INTEGER,
    "box" JSONB,
    "body" TEXT NOT NULL,
    "language" TEXT,
    "lang" regconfig NOT NULL DEFAULT 'simple'::regconfig,
    "tsv" tsvector GENERATED ALWAYS AS (to_tsvector(lang, left(body, 100000))) STORED,
    "engine" TEXT NOT NULL,
    "model" TEXT,
    "confidence" DOUBLE PRECISION,
    "locked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "moments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "embedding_profiles" (
    "id" SERIAL NOT NULL,
    "kind" TEXT NOT NULL,
    "engine" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "dimensions" INTEGER NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'filling',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "embedding_profiles_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "moment_embeddings" (
    "moment_id" UUID NOT NULL,
    "profile_id" INTEGER NOT NULL,
    "user_id" UUID NOT NULL,
    "embedding" vector NOT NULL,

    CONSTRAINT "moment_embeddings_pkey" PRIMARY KEY ("moment_id","profile_id")
);

-- CreateTable
CREATE TABLE "part_embeddings" (
    "part_id" UUID NOT NULL,
    "profile_id" INTEGER NOT NULL,
    "user_id" UUID NOT NULL,
    "embedding" vector NOT NULL,

    CONSTRAINT "part_embeddings_pkey" PRIMARY KEY ("part_id","profile_id")
);

-- CreateIndex
CREATE INDEX "media_parts_path_idx" ON "media_parts"("path");

-- CreateIndex
CREATE UNIQUE INDEX "media_parts_media_item_id_kind_number_key" ON "media_parts"("media_item_id", "kind", "number");

-- CreateIndex
CREATE INDEX "media_copies_path_idx" ON "media_copies"("path");

-- CreateIndex
CREATE INDEX "moments_media_item_id_kind_position_idx" ON "moments"("media_item_id", "kind", "position");

-- CreateIndex
CREATE INDEX "moments_user_id_idx" ON "moments"("user_id");

-- CreateIndex
CREATE INDEX "moments_tsv_idx" ON "moments" USING GIN ("tsv");

-- CreateIndex
CREATE INDEX "moments_body_trgm_idx" ON "moments" USING GIN ("body" gin_trgm_ops);

-- CreateIndex
CREATE UNIQUE INDEX "embedding_profiles_kind_engine_model_dimensions_key" ON "embedding_profiles"("kind", "engine", "model", "dimensions");

-- CreateIndex
CREATE INDEX "moment_embeddings_user_id_profile_id_idx" ON "moment_embeddings"("user_id", "profile_id");

-- CreateIndex
CREATE INDEX "part_embeddings_user_id_profile_id_idx" ON "part_embeddings"("user_id", "profile_id");

-- CreateIndex
CREATE INDEX "media_items_user_id_taken_at_idx" ON "media_items"("user_id", "taken_at");

-- CreateIndex
CREATE INDEX "media_items_tags_idx" ON "media_items" USING GIN ("tags");

-- CreateIndex
CREATE INDEX "media_items_processing_status_idx" ON "media_items"("processing_status");

-- AddForeignKey
ALTER TABLE "media_steps" ADD CONSTRAINT "media_steps_media_item_id_fkey" FOREIGN KEY ("media_item_id") REFERENCES "media_items"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "media_parts" ADD CONSTRAINT "media_parts_media_item_id_fkey" FOREIGN KEY ("media_item_id") REFERENCES "media_items"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "media_copies" ADD CONSTRAINT "media_copies_media_item_id_fkey" FOREIGN KEY ("media_item_id") REFERENCES "media_items"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "moments" ADD CONSTRAINT "moments_media_item_id_fkey" FOREIGN KEY ("media_item_id") REFERENCES "media_items"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "moment_embeddings" ADD CONSTRAINT "moment_embeddings_moment_id_fkey" FOREIGN KEY ("moment_id") REFERENCES "moments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "moment_embeddings" ADD CONSTRAINT "moment_embeddings_profile_id_fkey" FOREIGN KEY ("profile_id") REFERENCES "embedding_profiles"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "part_embeddings" ADD CONSTRAINT "part_embeddings_part_id_fkey" FOREIGN KEY ("part_id") REFERENCES "media_parts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "part_embeddings" ADD CONSTRAINT "part_embeddings_profile_id_fkey" FOREIGN KEY ("profile_id") REFERENCES "embedding_profiles"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Whatever removes a row, its file is noted, to be deleted when no other row names it. A file that is replaced is noted too.
CREATE FUNCTION "note_replaced_file"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD."path" <> NEW."path" THEN
    INSERT INTO "loose_files" ("path") VALUES (OLD."path");
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER "media_parts_note_file" AFTER DELETE ON "media_parts" FOR EACH ROW EXECUTE FUNCTION "note_loose_file"();
CREATE TRIGGER "media_parts_note_replaced_file" AFTER UPDATE OF "path" ON "media_parts" FOR EACH ROW EXECUTE FUNCTION "note_replaced_file"();
CREATE TRIGGER "media_copies_note_file" AFTER DELETE ON "media_copies" FOR EACH ROW EXECUTE FUNCTION "note_loose_file"();
CREATE TRIGGER "media_copies_note_replaced_file" AFTER UPDATE OF "path" ON "media_copies" FOR EACH ROW EXECUTE FUNCTION "note_replaced_file"();

-- Lists never hold nothing.
ALTER TABLE "media_items" ALTER COLUMN "tags" SET NOT NULL;

-- Words from a fixed list.
ALTER TABLE "media_steps" ADD CONSTRAINT "media_steps_name_check" CHECK ("name" IN ('inspect', 'frames', 'pages', 'read', 'caption', 'transcribe', 'playback', 'embed', 'look'));
ALTER TABLE "media_steps" ADD CONSTRAINT "media_steps_status_check" CHECK ("status" IN ('pending', 'processing', 'completed', 'skipped', 'failed'));
ALTER TABLE "media_parts" ADD CONSTRAINT "media_parts_kind_check" CHECK ("kind" IN ('picture', 'frame', 'page'));
ALTER TABLE "media_copies" ADD CONSTRAINT "media_copies_kind_check" CHECK ("kind" IN ('thumbnail', 'preview'));
ALTER TABLE "moments" ADD CONSTRAINT "moments_kind_check" CHECK ("kind" IN ('caption', 'text', 'speech', 'name'));
ALTER TABLE "moments" ADD CONSTRAINT "moments_engine_check" CHECK ("engine" IN ('remote', 'local', 'built-in', 'user'));
ALTER TABLE "embedding_profiles" ADD CONSTRAINT "embedding_profiles_kind_check" CHECK ("kind" IN ('text', 'image'));
ALTER TABLE "embedding_profiles" ADD CONSTRAINT "embedding_profiles_state_check" CHECK ("state" IN ('filling', 'active', 'old'));

-- Shapes and figures.
ALTER TABLE "media_steps" ADD CONSTRAINT "media_steps_figures_check" CHECK ("progress" BETWEEN 0 AND 1 AND "attempts" >= 0);
ALTER TABLE "media_parts" ADD CONSTRAINT "media_parts_figures_check" CHECK ("number" >= 1 AND "start_seconds" >= 0 AND "size_bytes" > 0 AND "width" > 0 AND "height" > 0);
ALTER TABLE "media_copies" ADD CONSTRAINT "media_copies_figures_check" CHECK ("size_bytes" > 0);
ALTER TABLE "moments" ADD CONSTRAINT "moments_figures_check" CHECK ("body" <> '' AND "start_seconds" >= 0 AND "end_seconds" >= "start_seconds" AND "confidence" BETWEEN 0 AND 1);
ALTER TABLE "embedding_profiles" ADD CONSTRAINT "embedding_profiles_dimensions_check" CHECK ("dimensions" BETWEEN 1 AND 16000);
-- One profile of each kind is searched.
CREATE UNIQUE INDEX "embedding_profiles_active_key" ON "embedding_profiles" ("kind") WHERE "state" = 'active';
-- migration 20261120161742_effects
-- CreateTable
CREATE TABLE "effect_images" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "effect_name" TEXT NOT NULL,
    "recipe" JSONB NOT NULL,
    "prompt" TEXT,
    "source_filename" TEXT NOT NULL,
    "source_media_id" UUID,
    "path" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "width" INTEGER NOT NULL,
    "height" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "effect_images_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "effect_recipes" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "steps" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "effect_recipes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "effect_images_user_id_created_at_id_idx" ON "effect_images"("user_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "effect_images_path_idx" ON "effect_images"("path");

-- CreateIndex
CREATE UNIQUE INDEX "effect_recipes_user_id_name_key" ON "effect_recipes"("user_id", "name");

-- AddForeignKey
ALTER TABLE "effect_images" ADD CONSTRAINT "effect_images_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "effect_recipes" ADD CONSTRAINT "effect_recipes_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Whatever removes a row, its file is noted, to be deleted when no other row names it.
CREATE TRIGGER "effect_images_note_file" AFTER DELETE ON "effect_images" FOR EACH ROW EXECUTE FUNCTION "note_loose_file"();

-- Shapes and figures.
ALTER TABLE "effect_images" ADD CONSTRAINT "effect_images_sha256_check" CHECK ("sha256" ~ '^[0-9a-f]{64}$');
ALTER TABLE "effect_images" ADD CONSTRAINT "effect_images_figures_check" CHECK ("size_bytes" > 0 AND "width" > 0 AND "height" > 0);
-- migration 20261120162500_stale_vectors
-- A text that was changed is not found by what it said before: its vectors go, to be made again.
CREATE FUNCTION "forget_moment_vectors"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "moment_embeddings" WHERE "moment_id" = NEW."id";
  RETURN NULL;
END
$$;
CREATE TRIGGER "moments_forget_vectors" AFTER UPDATE OF "body" ON "moments" FOR EACH ROW
  WHEN (OLD."body" IS DISTINCT FROM NEW."body") EXECUTE FUNCTION "forget_moment_vectors"();
-- migration 20261120163800_library_order
-- CreateIndex
CREATE INDEX "media_items_user_id_size_bytes_idx" ON "media_items"("user_id", "size_bytes" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "media_items_original_filename_trgm_idx" ON "media_items" USING GIN ("original_filename" gin_trgm_ops);

-- What the library is sorted by, as its queries say it.
CREATE INDEX "media_items_time_idx" ON "media_items" ("user_id", coalesce("taken_at", "created_at") DESC, "id" DESC);
CREATE INDEX "media_items_name_idx" ON "media_items" ("user_id", lower("original_filename"), "id");
-- migration 20261120191132_work_and_insight
-- AlterTable
ALTER TABLE "users" ADD COLUMN     "shares_answers" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "chat_message_media" (
    "message_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "media_item_id" UUID,
    "title" TEXT NOT NULL,
    "media_type" TEXT NOT NULL,

    CONSTRAINT "chat_message_media_pkey" PRIMARY KEY ("message_id","position")
);

-- CreateTable
CREATE TABLE "partial_uploads" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "original_filename" TEXT NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "wants_caption" BOOLEAN NOT NULL DEFAULT true,
    "wants_text" BOOLEAN NOT NULL DEFAULT true,
    "media_item_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "partial_uploads_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "reminders" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "text" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "time_zone" TEXT NOT NULL,
    "recurrence" JSONB,
    "state" TEXT NOT NULL DEFAULT 'active',
    "fired_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "reminders_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "agent_runs" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "agent_name" TEXT NOT NULL,
    "input" TEXT NOT NULL,
    "output" TEXT NOT NULL,
    "data" JSONB NOT NULL DEFAULT '{}',
    "outcome" TEXT NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "origin" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "agent_runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "source_answers" (
    "key" TEXT NOT NULL,
    "value" JSONB NOT NULL,
    "fetched_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "source_answers_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "classifiers" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "model" JSONB NOT NULL,
    "trained_on" INTEGER NOT NULL,
    "measured_on" INTEGER NOT NULL,
    "accuracy" DOUBLE PRECISION NOT NULL,
    "is_current" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "classifiers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "notifications" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "params" JSONB NOT NULL DEFAULT '{}',
    "subject_id" UUID,
    "link" TEXT,
    "read_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notifications_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "automation_tasks" (
    "task_type" TEXT NOT NULL,
    "is_enabled" BOOLEAN NOT NULL DEFAULT true,
    "schedule" TEXT,
    "time_zone" TEXT NOT NULL DEFAULT 'UTC',
    "checked_until" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "automation_tasks_pkey" PRIMARY KEY ("task_type")
);

-- CreateTable
CREATE TABLE "automation_runs" (
    "id" UUID NOT NULL,
    "task_type" TEXT NOT NULL,
    "scheduled_for" TIMESTAMPTZ(3),
    "trigger" TEXT NOT NULL,
    "reason" TEXT,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "cancel_requested" BOOLEAN NOT NULL DEFAULT false,
    "server_id" UUID,
    "heartbeat_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "steps" JSONB NOT NULL DEFAULT '[]',
    "log" JSONB NOT NULL DEFAULT '[]',
    "items_processed" INTEGER NOT NULL DEFAULT 0,
    "results" JSONB NOT NULL DEFAULT '{}',
    "error_message" TEXT,
    "requested_by" UUID,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "automation_runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "weekly_summaries" (
    "id" UUID NOT NULL,
    "user_id" UUID,
    "week_start" DATE NOT NULL,
    "time_zone" TEXT NOT NULL,
    "figures" JSONB NOT NULL,
    "summary_text" TEXT NOT NULL,
    "insights" JSONB NOT NULL DEFAULT '[]',
    "engine" TEXT NOT NULL,
    "model" TEXT,
    "generated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "weekly_summaries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "activity_hours" (
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL DEFAULT '',
    "completed" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "interrupted" INTEGER NOT NULL DEFAULT 0,
    "duration_ms_sum" BIGINT NOT NULL DEFAULT 0,
    "duration_count" INTEGER NOT NULL DEFAULT 0,
    "duration_classes" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "first_token_classes" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "input_tokens" BIGINT NOT NULL DEFAULT 0,
    "output_tokens" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "activity_hours_pkey" PRIMARY KEY ("hour","user_id","kind","name")
);

-- CreateTable
CREATE TABLE "system_samples" (
    "id" BIGSERIAL NOT NULL,
    "server_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "requests" INTEGER NOT NULL,
    "request_errors" INTEGER NOT NULL,
    "memory_bytes" BIGINT NOT NULL,
    "cpu_share" DOUBLE PRECISION NOT NULL,
    "event_loop_delay_p99_ms" DOUBLE PRECISION NOT NULL,
    "database_bytes" BIGINT,
    "storage_bytes" BIGINT,

    CONSTRAINT "system_samples_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "chat_message_media_media_item_id_idx" ON "chat_message_media"("media_item_id");

-- CreateIndex
CREATE INDEX "partial_uploads_user_id_idx" ON "partial_uploads"("user_id");

-- CreateIndex
CREATE INDEX "partial_uploads_expires_at_idx" ON "partial_uploads"("expires_at");

-- CreateIndex
CREATE INDEX "reminders_state_due_at_idx" ON "reminders"("state", "due_at");

-- CreateIndex
CREATE INDEX "reminders_user_id_state_due_at_id_idx" ON "reminders"("user_id", "state", "due_at", "id");

-- CreateIndex
CREATE INDEX "agent_runs_user_id_agent_name_created_at_id_idx" ON "agent_runs"("user_id", "agent_name", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "classifiers_kind_version_key" ON "classifiers"("kind", "version");

-- CreateIndex
CREATE INDEX "notifications_user_id_created_at_id_idx" ON "notifications"("user_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "notifications_subject_id_idx" ON "notifications"("subject_id");

-- CreateIndex
CREATE INDEX "automation_runs_created_at_id_idx" ON "automation_runs"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "automation_runs_task_type_created_at_idx" ON "automation_runs"("task_type", "created_at" DESC);

-- CreateIndex
CREATE INDEX "automation_runs_status_idx" ON "automation_runs"("status");

-- CreateIndex
CREATE UNIQUE INDEX "automation_runs_task_type_scheduled_for_key" ON "automation_runs"("task_type", "scheduled_for");

-- CreateIndex
CREATE INDEX "weekly_summaries_user_id_week_start_idx" ON "weekly_summaries"("user_id", "week_start" DESC);

-- CreateIndex
CREATE INDEX "activity_hours_user_id_hour_idx" ON "activity_hours"("user_id", "hour");

-- CreateIndex
CREATE INDEX "system_samples_at_idx" ON "system_samples"("at");

-- AddForeignKey
ALTER TABLE "chat_message_media" ADD CONSTRAINT "chat_message_media_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "chat_messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "chat_message_media" ADD CONSTRAINT "chat_message_media_media_item_id_fkey" FOREIGN KEY ("media_item_id") REFERENCES "media_items"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "partial_uploads" ADD CONSTRAINT "partial_uploads_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reminders" ADD CONSTRAINT "reminders_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_runs" ADD CONSTRAINT "agent_runs_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "weekly_summaries" ADD CONSTRAINT "weekly_summaries_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "activity_hours" ADD CONSTRAINT "activity_hours_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- One summary of a week for each person, and one of the instance.
CREATE UNIQUE INDEX weekly_summaries_user_id_week_start_key ON weekly_summaries (user_id, week_start) WHERE user_id IS NOT NULL;
CREATE UNIQUE INDEX weekly_summaries_instance_week_start_key ON weekly_summaries (week_start) WHERE user_id IS NULL;

-- One classifier of each kind is in use.
CREATE UNIQUE INDEX classifiers_current_kind_key ON classifiers (kind) WHERE is_current;
-- migration 20261120192847_runs_of_a_conversation
-- AlterTable
ALTER TABLE "agent_runs" ADD COLUMN     "session_id" UUID;

-- CreateIndex
CREATE INDEX "agent_runs_session_id_idx" ON "agent_runs"("session_id");

-- AddForeignKey
ALTER TABLE "agent_runs" ADD CONSTRAINT "agent_runs_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "chat_sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;
-- migration 20261120193716_partial_upload_locks
-- AlterTable
ALTER TABLE "partial_uploads" ADD COLUMN     "fingerprint" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "keeps_place" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "lock_token" UUID,
ADD COLUMN     "locked_until" TIMESTAMPTZ(3);
-- migration 20261120195033_steps_that_lack_an_engine
-- AlterTable
ALTER TABLE "media_steps" ADD COLUMN     "lacks" TEXT;

-- Few lack one, and they are looked for whenever an engine appears.
CREATE INDEX "media_steps_lacks_idx" ON "media_steps" ("lacks") WHERE "lacks" IS NOT NULL;
-- migration 20261120201833_activity_rollups
-- CreateTable
CREATE TABLE "activity_hour_totals" (
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL DEFAULT '',
    "users" INTEGER NOT NULL DEFAULT 0,
    "completed" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "interrupted" INTEGER NOT NULL DEFAULT 0,
    "duration_classes" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "first_token_classes" INTEGER[] DEFAULT ARRAY[]::INTEGER[],

    CONSTRAINT "activity_hour_totals_pkey" PRIMARY KEY ("hour","kind","name")
);

-- CreateTable
CREATE TABLE "activity_session_hours" (
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "user_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "span_ms" INTEGER NOT NULL,

    CONSTRAINT "activity_session_hours_pkey" PRIMARY KEY ("hour","session_id","user_id")
);

-- CreateTable
CREATE TABLE "activity_marks" (
    "id" BIGSERIAL NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "user_id" UUID NOT NULL,

    CONSTRAINT "activity_marks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "activity_rollups" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "rolled_until" TIMESTAMPTZ(3),
    "kept_from" TIMESTAMPTZ(3),

    CONSTRAINT "activity_rollups_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "activity_session_hours_user_id_hour_idx" ON "activity_session_hours"("user_id", "hour");

-- AddForeignKey
ALTER TABLE "activity_session_hours" ADD CONSTRAINT "activity_session_hours_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma cannot say: whatever changes activities of an hour that may be added up already notes that hour, in the
-- transaction that changes it. Adding up itself changes activity_hours and says so by mira.rolls_up.

CREATE FUNCTION mark_removed_activities() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO activity_marks (hour, user_id) SELECT DISTINCT date_trunc('hour', created_at, 'UTC'), user_id FROM removed;
  RETURN NULL;
END $$;

CREATE TRIGGER activities_mark_removed AFTER DELETE ON activities REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION mark_removed_activities();

CREATE FUNCTION mark_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO activity_marks (hour, user_id) VALUES (date_trunc('hour', NEW.created_at, 'UTC'), NEW.user_id);
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO activity_marks (hour, user_id) VALUES (date_trunc('hour', OLD.created_at, 'UTC'), OLD.user_id);
  END IF;
  RETURN NULL;
END $$;

-- What is recorded as it happens never fires this.
CREATE TRIGGER activities_mark_late AFTER INSERT ON activities FOR EACH ROW
  WHEN (NEW.created_at < date_trunc('hour', now(), 'UTC')) EXECUTE FUNCTION mark_activity();

CREATE TRIGGER activities_mark_changed AFTER UPDATE ON activities FOR EACH ROW
  WHEN ((OLD.user_id, OLD.kind, OLD.outcome, OLD.duration_ms, OLD.first_token_ms, OLD.in_analytics, OLD.created_at)
    IS DISTINCT FROM (NEW.user_id, NEW.kind, NEW.outcome, NEW.duration_ms, NEW.first_token_ms, NEW.in_analytics, NEW.created_at))
  EXECUTE FUNCTION mark_activity();

-- A file that was processed long after it was uploaded belongs to the hour of its upload.
CREATE FUNCTION mark_processed_media() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO activity_marks (hour, user_id)
    SELECT date_trunc('hour', created_at, 'UTC'), user_id FROM activities WHERE subject_id = NEW.id AND kind = 'upload';
  RETURN NULL;
END $$;

CREATE TRIGGER media_items_mark_processed AFTER UPDATE OF processing_status ON media_items FOR EACH ROW
  WHEN (NEW.processing_status = 'completed' AND OLD.processing_status <> 'completed'
    AND NEW.created_at < date_trunc('hour', now(), 'UTC'))
  EXECUTE FUNCTION mark_processed_media();

-- An account that is deleted takes its hours along: those of everybody are added up again.
CREATE FUNCTION mark_removed_hours() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO activity_marks (hour, user_id) SELECT DISTINCT hour, user_id FROM removed;
  RETURN NULL;
END $$;

CREATE TRIGGER activity_hours_mark_removed AFTER DELETE ON activity_hours REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT WHEN (current_setting('mira.rolls_up', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION mark_removed_hours();
-- migration 20261120202743_backups
-- CreateTable
CREATE TABLE "backups" (
    "id" UUID NOT NULL,
    "file_name" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "progress" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,
    "size_bytes" BIGINT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "heartbeat_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "backups_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "backups_file_name_key" ON "backups"("file_name");

-- CreateIndex
CREATE INDEX "backups_created_at_idx" ON "backups"("created_at" DESC);

-- What Prisma cannot say: one is made at a time, whichever server makes it.
CREATE UNIQUE INDEX "backups_one_at_a_time" ON "backups" ((true)) WHERE "state" IN ('waiting', 'running');
-- migration 20261120203500_one_run_of_a_task
-- A task does not run twice at once, on whichever servers.
CREATE UNIQUE INDEX automation_runs_active_task_key ON automation_runs (task_type) WHERE status IN ('pending', 'running');
-- migration 20261120203600_answers_that_read_outside
-- AlterTable
ALTER TABLE "chat_messages" ADD COLUMN     "read_outside" BOOLEAN NOT NULL DEFAULT false;
-- migration 20261122130545_marks_know_their_time
-- AlterTable
ALTER TABLE "activity_marks" ADD COLUMN     "marked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
-- migration 20261122130937_login_failures_by_purpose
-- AlterTable
ALTER TABLE "login_failures" ADD COLUMN     "is_refused" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "purpose" TEXT NOT NULL DEFAULT 'sign_in';
-- migration 20261122132825_tag_models
-- CreateTable
CREATE TABLE "tag_models" (
    "user_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "model" JSONB NOT NULL,
    "trained_on" INTEGER NOT NULL,
    "measured_on" INTEGER NOT NULL,
    "accuracy" DOUBLE PRECISION NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tag_models_pkey" PRIMARY KEY ("user_id")
);

-- AddForeignKey
ALTER TABLE "tag_models" ADD CONSTRAINT "tag_models_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What was learnt from everybody's things tells people of each other: each learns from their own, at the next run.
DELETE FROM classifiers WHERE kind = 'tag';
-- migration 20261122133000_sign_in
-- AlterTable
ALTER TABLE "auth_sessions" ADD COLUMN     "address" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "method" TEXT NOT NULL DEFAULT 'password';

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "must_change_password" BOOLEAN NOT NULL DEFAULT false,
ALTER COLUMN "password_hash" DROP NOT NULL;

-- CreateTable
CREATE TABLE "passkeys" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "credential_id" TEXT NOT NULL,
    "public_key" BYTEA NOT NULL,
    "counter" BIGINT NOT NULL DEFAULT 0,
    "transports" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "relying_party_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "is_backed_up" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "passkeys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "totp_secrets" (
    "user_id" UUID NOT NULL,
    "secret" TEXT NOT NULL,
    "last_step" BIGINT NOT NULL DEFAULT 0,
    "confirmed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "totp_secrets_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "recovery_codes" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "code_hash" TEXT NOT NULL,

    CONSTRAINT "recovery_codes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "oidc_identities" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "oidc_identities_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "invitations" (
    "id" UUID NOT NULL,
    "secret_hash" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "full_name" TEXT,
    "role" TEXT NOT NULL DEFAULT 'user',
    "can_chat" BOOLEAN NOT NULL DEFAULT true,
    "can_upload" BOOLEAN NOT NULL DEFAULT false,
    "can_use_voice" BOOLEAN NOT NULL DEFAULT false,
    "can_use_agents" BOOLEAN NOT NULL DEFAULT false,
    "invited_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "accepted_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "invitations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "used_tickets" (
    "id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "used_tickets_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "passkeys_credential_id_key" ON "passkeys"("credential_id");

-- CreateIndex
CREATE INDEX "passkeys_user_id_idx" ON "passkeys"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "recovery_codes_user_id_code_hash_key" ON "recovery_codes"("user_id", "code_hash");

-- CreateIndex
CREATE INDEX "oidc_identities_user_id_idx" ON "oidc_identities"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "oidc_identities_issuer_subject_key" ON "oidc_identities"("issuer", "subject");

-- CreateIndex
CREATE UNIQUE INDEX "invitations_secret_hash_key" ON "invitations"("secret_hash");

-- CreateIndex
CREATE INDEX "used_tickets_expires_at_idx" ON "used_tickets"("expires_at");

-- AddForeignKey
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "totp_secrets" ADD CONSTRAINT "totp_secrets_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oidc_identities" ADD CONSTRAINT "oidc_identities_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
-- migration 20261122134155_link_epochs
-- AlterTable
ALTER TABLE "users" ADD COLUMN     "link_epoch" UUID NOT NULL DEFAULT gen_random_uuid();

-- What opens a file is no part of what is kept of a call.
UPDATE agent_runs SET data = regexp_replace(data::text, '[?&]signature=[^"&]*', '', 'g')::jsonb
WHERE data::text LIKE '%signature=%';
-- migration 20261122140645_token_scopes
-- AlterTable
ALTER TABLE "api_tokens" ADD COLUMN     "scopes" TEXT[] DEFAULT ARRAY['read']::TEXT[];

-- Tokens that are there keep what they could do; what nobody's token may do any more is closed to all of them.
UPDATE "api_tokens" t SET "scopes" = CASE u."role"
  WHEN 'admin' THEN ARRAY['read', 'write', 'chat', 'upload', 'agents', 'admin']
  ELSE ARRAY['read', 'write', 'chat', 'upload', 'agents'] END
FROM "users" u WHERE u."id" = t."user_id";

ALTER TABLE "api_tokens" ADD CONSTRAINT api_tokens_scopes_check
  CHECK (cardinality("scopes") > 0 AND "scopes" <@ ARRAY['read', 'write', 'chat', 'upload', 'agents', 'admin']);
-- migration 20261122141217_audit_log
-- CreateTable
CREATE TABLE "audit_entries" (
    "id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor_id" UUID,
    "actor_name" TEXT,
    "address" TEXT,
    "via" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "outcome" TEXT NOT NULL DEFAULT 'done',
    "subject_id" TEXT,
    "subject_name" TEXT,
    "detail" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "audit_entries_created_at_idx" ON "audit_entries"("created_at");

-- CreateIndex
CREATE INDEX "audit_entries_action_id_idx" ON "audit_entries"("action", "id" DESC);

-- Lines are only ever added: no request changes one, and none goes before thirty days are over, whatever asks for it.
CREATE FUNCTION keep_audit_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.created_at < now() - interval '30 days' THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'the audit log is only ever added to';
END $$;
CREATE TRIGGER audit_entries_kept BEFORE UPDATE OR DELETE ON audit_entries
  FOR EACH ROW EXECUTE FUNCTION keep_audit_entries();
-- migration 20261122143000_words_of_any_script
-- How rare a word is decides what it tells: the index of moments leaves no word out, and it knows texts whose scripts put
-- no space between words. The column keeps what is in it, so that moments are found while they wait for their new words:
-- where indexed_as is null, a job brings them up to date.

-- Text search objects are dropped first because restoring an archive empties a database of its tables and functions alone.
DROP TEXT SEARCH CONFIGURATION IF EXISTS public."english_words", public."spanish_words", public."french_words", public."german_words";
DROP TEXT SEARCH DICTIONARY IF EXISTS public."english_words", public."spanish_words", public."french_words", public."german_words";
CREATE TEXT SEARCH DICTIONARY public."english_words" (TEMPLATE = snowball, Language = english);
CREATE TEXT SEARCH DICTIONARY public."spanish_words" (TEMPLATE = snowball, Language = spanish);
CREATE TEXT SEARCH DICTIONARY public."french_words" (TEMPLATE = snowball, Language = french);
CREATE TEXT SEARCH DICTIONARY public."german_words" (TEMPLATE = snowball, Language = german);
CREATE TEXT SEARCH CONFIGURATION public."english_words" (COPY = pg_catalog.english);
CREATE TEXT SEARCH CONFIGURATION public."spanish_words" (COPY = pg_catalog.spanish);
CREATE TEXT SEARCH CONFIGURATION public."french_words" (COPY = pg_catalog.french);
CREATE TEXT SEARCH CONFIGURATION public."german_words" (COPY = pg_catalog.german);
ALTER TEXT SEARCH CONFIGURATION public."english_words" ALTER MAPPING REPLACE english_stem WITH public."english_words";
ALTER TEXT SEARCH CONFIGURATION public."spanish_words" ALTER MAPPING REPLACE spanish_stem WITH public."spanish_words";
ALTER TEXT SEARCH CONFIGURATION public."french_words" ALTER MAPPING REPLACE french_stem WITH public."french_words";
ALTER TEXT SEARCH CONFIGURATION public."german_words" ALTER MAPPING REPLACE german_stem WITH public."german_words";

ALTER TABLE "moments" ALTER COLUMN "tsv" DROP EXPRESSION;
ALTER TABLE "moments" ADD COLUMN "indexed_as" SMALLINT;
CREATE INDEX "moments_not_indexed_idx" ON "moments" ("id") WHERE "indexed_as" IS NULL;

-- The words of a text as they are looked for: stems in its language, the parts of what holds punctuation, and of scripts
-- without spaces each pair of neighbours and the last character of a stretch (features/memory/tokens.ts reads queries so).
CREATE FUNCTION "moment_words"(lang regconfig, body text) RETURNS tsvector LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  unspaced CONSTANT text := '[\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3005-\u3007\u3040-\u30FF\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\U00020000-\U0003FFFF]+';
  -- inside of what the parser takes in one piece: addresses, names of files, numbers
  joining CONSTANT text := '[-_./@:''’&=?%#~+*|<>\\]';
  configuration CONSTANT regconfig := CASE lang::text
    WHEN 'english' THEN 'public.english_words' WHEN 'spanish' THEN 'public.spanish_words'
    WHEN 'french' THEN 'public.french_words' WHEN 'german' THEN 'public.german_words' ELSE lang::text END;
  plain text := left(body, 100000);
  pairs text;
BEGIN
  IF plain IS NOT NFC NORMALIZED THEN plain := normalize(plain, NFC); END IF;
  plain := regexp_replace(plain, joining, ' ', 'g');
  IF plain !~ unspaced THEN RETURN to_tsvector(configuration, plain); END IF;
  SELECT string_agg(format('''%s'':%s', pair, least(place, 16383)), ' ') INTO pairs FROM (
    SELECT symbol || coalesce(lead(symbol) OVER (PARTITION BY stretch ORDER BY i), '') AS pair,
      row_number() OVER (ORDER BY stretch, i) AS place
    FROM regexp_matches(plain, '(' || unspaced || ')', 'g') WITH ORDINALITY AS found (texts, stretch),
      unnest(string_to_array(texts[1], NULL)) WITH ORDINALITY AS symbols (symbol, i)
    LIMIT 30000
  ) placed;
  RETURN to_tsvector(configuration, regexp_replace(plain, unspaced, ' ', 'g')) || pairs::tsvector;
END
$$;

CREATE FUNCTION "index_moment"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."tsv" := public."moment_words"(NEW."lang", NEW."body");
  NEW."indexed_as" := 1;
  RETURN NEW;
END
$$;
CREATE TRIGGER "moments_index" BEFORE INSERT OR UPDATE OF "body", "lang" ON "moments" FOR EACH ROW
  EXECUTE FUNCTION "index_moment"();
-- migration 20261122170034_known_item_checks
-- CreateTable
CREATE TABLE "known_item_checks" (
    "user_id" UUID NOT NULL,
    "measured_at" TIMESTAMPTZ(3) NOT NULL,
    "asked" INTEGER NOT NULL,
    "found" INTEGER NOT NULL,
    "found_by_words" INTEGER NOT NULL,
    "asked_by_meaning" INTEGER,
    "found_by_meaning" INTEGER,

    CONSTRAINT "known_item_checks_pkey" PRIMARY KEY ("user_id")
);

-- CreateIndex
CREATE INDEX "known_item_checks_measured_at_idx" ON "known_item_checks"("measured_at");

-- AddForeignKey
ALTER TABLE "known_item_checks" ADD CONSTRAINT "known_item_checks_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
-- migration 20261122170152_chosen_preferences
-- AlterTable
ALTER TABLE "users" ADD COLUMN     "chosen_language" TEXT,
ADD COLUMN     "chosen_theme" TEXT,
ADD COLUMN     "chosen_time_zone" TEXT,
ADD COLUMN     "hides_first_steps" BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE "users" ADD CONSTRAINT "users_chosen_language_check" CHECK ("chosen_language" IN ('en', 'es', 'fr', 'de')),
ADD CONSTRAINT "users_chosen_theme_check" CHECK ("chosen_theme" IN ('light', 'dark', 'system'));
-- migration 20261122171626_backup_failures_in_machine_words
-- AlterTable
ALTER TABLE "backups" ADD COLUMN     "told" JSONB NOT NULL DEFAULT '[]';
-- migration 20261122203239_about_me
-- CreateTable
CREATE TABLE "instructions" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "about_me" TEXT NOT NULL DEFAULT '',
    "how_to_answer" TEXT NOT NULL DEFAULT '',
    "uses_facts" BOOLEAN NOT NULL DEFAULT true,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "instructions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "facts" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "text" TEXT NOT NULL,
    "source" TEXT NOT NULL DEFAULT 'person',
    "session_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "facts_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "instructions_user_id_key" ON "instructions"("user_id");

-- CreateIndex
CREATE INDEX "facts_user_id_created_at_id_idx" ON "facts"("user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "facts_session_id_idx" ON "facts"("session_id");

-- AddForeignKey
ALTER TABLE "instructions" ADD CONSTRAINT "instructions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "facts" ADD CONSTRAINT "facts_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "facts" ADD CONSTRAINT "facts_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "chat_sessions"("id") ON DELETE SET NULL ON UPDATE CASCADE;
-- migration 20261122203359_model_connections
-- AlterTable
ALTER TABLE "chat_sessions" ADD COLUMN     "model" TEXT,
ADD COLUMN     "parameters" JSONB;

-- CreateTable
CREATE TABLE "model_connections" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "base_url" TEXT NOT NULL,
    "api_key" TEXT,
    "headers" TEXT,
    "is_enabled" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "model_connections_pkey" PRIMARY KEY ("id")
);
-- migration 20261122204201_notifications_shown_once
-- AlterTable
ALTER TABLE "notifications" ADD COLUMN     "shown_at" TIMESTAMPTZ(3);

-- What came before was shown, or waits behind the bell: it is not shown all at once.
UPDATE "notifications" SET "shown_at" = "created_at";
-- migration 20261122213000_account_storage_limit
-- AlterTable
ALTER TABLE "users" ADD COLUMN     "storage_limit_bytes" BIGINT;
-- migration 20261122213100_hooks
-- CreateTable
CREATE TABLE "hooks" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT[],
    "sealed_secret" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "hooks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "hook_deliveries" (
    "id" UUID NOT NULL,
    "hook_id" UUID NOT NULL,
    "event" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "status" INTEGER,
    "problem" TEXT,
    "duration_ms" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "next_attempt_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "hook_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "hooks_user_id_created_at_id_idx" ON "hooks"("user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "hook_deliveries_hook_id_created_at_id_idx" ON "hook_deliveries"("hook_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "hook_deliveries_state_next_attempt_at_idx" ON "hook_deliveries"("state", "next_attempt_at");

-- CreateIndex
CREATE INDEX "hook_deliveries_created_at_idx" ON "hook_deliveries"("created_at");

-- AddForeignKey
ALTER TABLE "hooks" ADD CONSTRAINT "hooks_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "hook_deliveries" ADD CONSTRAINT "hook_deliveries_hook_id_fkey" FOREIGN KEY ("hook_id") REFERENCES "hooks"("id") ON DELETE CASCADE ON UPDATE CASCADE;
-- migration 20261122220000_reasons_in_machine_words
-- AlterTable
ALTER TABLE "media_items" ADD COLUMN     "error_told" JSONB NOT NULL DEFAULT '[]';

-- AlterTable
ALTER TABLE "media_steps" ADD COLUMN     "error_told" JSONB NOT NULL DEFAULT '[]';
-- migration 20261123002339_chosen_model
-- AlterTable
ALTER TABLE "users" ADD COLUMN     "chosen_model" TEXT;
-- migration 20261123002400_oauth_for_programs
-- CreateTable
CREATE TABLE "oauth_clients" (
    "id" UUID NOT NULL,
    "client_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "uri" TEXT,
    "redirect_uris" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "read_at" TIMESTAMPTZ(3),
    "agreed_at" TIMESTAMPTZ(3),

    CONSTRAINT "oauth_clients_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "oauth_grants" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "client_id" UUID NOT NULL,
    "scopes" TEXT[],
    "resource" TEXT NOT NULL,
    "redirect_uri" TEXT NOT NULL,
    "code_hash" TEXT NOT NULL,
    "code_challenge" TEXT NOT NULL,
    "code_expires_at" TIMESTAMPTZ(3) NOT NULL,
    "begun_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "oauth_grants_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "oauth_tokens" (
    "id" UUID NOT NULL,
    "grant_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "secret_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "oauth_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "oauth_clients_client_id_key" ON "oauth_clients"("client_id");

-- CreateIndex
CREATE INDEX "oauth_clients_created_at_idx" ON "oauth_clients"("created_at");

-- CreateIndex
CREATE INDEX "oauth_grants_user_id_idx" ON "oauth_grants"("user_id");

-- CreateIndex
CREATE INDEX "oauth_grants_client_id_idx" ON "oauth_grants"("client_id");

-- CreateIndex
CREATE INDEX "oauth_tokens_grant_id_idx" ON "oauth_tokens"("grant_id");

-- CreateIndex
CREATE INDEX "oauth_tokens_expires_at_idx" ON "oauth_tokens"("expires_at");

-- AddForeignKey
ALTER TABLE "oauth_grants" ADD CONSTRAINT "oauth_grants_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_grants" ADD CONSTRAINT "oauth_grants_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "oauth_clients"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_tokens" ADD CONSTRAINT "oauth_tokens_grant_id_fkey" FOREIGN KEY ("grant_id") REFERENCES "oauth_grants"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "oauth_tokens" ADD CONSTRAINT "oauth_tokens_kind_check" CHECK ("kind" IN ('access', 'refresh'));
-- migration 20261123010100_imports
-- CreateTable
CREATE TABLE "imports" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "source" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'queued',
    "is_preview" BOOLEAN NOT NULL DEFAULT false,
    "path" TEXT,
    "sealed_key" TEXT,
    "found" INTEGER NOT NULL DEFAULT 0,
    "imported" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "failed" JSONB NOT NULL DEFAULT '[]',
    "error" TEXT,
    "told" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "imports_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "imported_things" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "import_id" UUID NOT NULL,
    "source" TEXT NOT NULL,
    "source_id" TEXT NOT NULL,
    "session_id" UUID,
    "media_item_id" UUID,

    CONSTRAINT "imported_things_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "imports_user_id_created_at_id_idx" ON "imports"("user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "imports_state_updated_at_idx" ON "imports"("state", "updated_at");

-- CreateIndex
CREATE INDEX "imports_path_idx" ON "imports"("path");

-- CreateIndex
CREATE INDEX "imported_things_import_id_idx" ON "imported_things"("import_id");

-- CreateIndex
CREATE INDEX "imported_things_session_id_idx" ON "imported_things"("session_id");

-- CreateIndex
CREATE INDEX "imported_things_media_item_id_idx" ON "imported_things"("media_item_id");

-- CreateIndex
CREATE UNIQUE INDEX "imported_things_user_id_source_source_id_key" ON "imported_things"("user_id", "source", "source_id");

-- AddForeignKey
ALTER TABLE "imports" ADD CONSTRAINT "imports_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "imported_things" ADD CONSTRAINT "imported_things_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "imported_things" ADD CONSTRAINT "imported_things_import_id_fkey" FOREIGN KEY ("import_id") REFERENCES "imports"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "imported_things" ADD CONSTRAINT "imported_things_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "chat_sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "imported_things" ADD CONSTRAINT "imported_things_media_item_id_fkey" FOREIGN KEY ("media_item_id") REFERENCES "media_items"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The file of an import is needed until it was read: its row lets go of it, or goes itself.
CREATE TRIGGER "imports_note_file" AFTER DELETE ON "imports" FOR EACH ROW WHEN (OLD."path" IS NOT NULL) EXECUTE FUNCTION "note_loose_file"();
CREATE TRIGGER "imports_note_read_file" AFTER UPDATE OF "path" ON "imports" FOR EACH ROW WHEN (OLD."path" IS NOT NULL AND NEW."path" IS NULL) EXECUTE FUNCTION "note_loose_file"();
-- migration 20261123011200_notes_and_pages
-- AlterTable
ALTER TABLE "media_items" ADD COLUMN     "source_kind" TEXT,
ADD COLUMN     "source_url" TEXT;

-- CreateIndex
CREATE INDEX "media_items_user_id_source_url_idx" ON "media_items"("user_id", "source_url");

-- What people write here, and what was fetched from the web; null is a file that was given.
ALTER TABLE "media_items" ADD CONSTRAINT "media_items_source_kind_check" CHECK ("source_kind" IN ('note', 'page'));

-- A note that is written anew has another file; the one before is noted, to be deleted.
CREATE TRIGGER "media_items_note_replaced_file" AFTER UPDATE OF "path" ON "media_items" FOR EACH ROW EXECUTE FUNCTION "note_replaced_file"();
-- migration 20261123011600_prompts
-- CreateTable
CREATE TABLE "prompts" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "title" TEXT NOT NULL,
    "command" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "prompts_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "prompts_user_id_command_key" ON "prompts"("user_id", "command");

-- AddForeignKey
ALTER TABLE "prompts" ADD CONSTRAINT "prompts_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
-- migration 20261123012300_mcp_servers
-- CreateTable
CREATE TABLE "mcp_servers" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "url" TEXT,
    "command" TEXT,
    "arguments" TEXT[],
    "sealed_key" TEXT,
    "sealed_headers" TEXT,
    "is_enabled" BOOLEAN NOT NULL DEFAULT true,
    "audience" TEXT NOT NULL DEFAULT 'admins',
    "user_ids" UUID[],
    "rules" JSONB NOT NULL DEFAULT '{}',
    "tools" JSONB NOT NULL DEFAULT '[]',
    "problem" TEXT,
    "checked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "mcp_servers_pkey" PRIMARY KEY ("id")
);

ALTER TABLE "mcp_servers" ADD CONSTRAINT "mcp_servers_audience_check" CHECK ("audience" IN ('everyone', 'admins', 'chosen'));
ALTER TABLE "mcp_servers" ADD CONSTRAINT "mcp_servers_place_check" CHECK (("url" IS NULL) <> ("command" IS NULL));
-- migration 20261123012900_shares
-- CreateTable
CREATE TABLE "shares" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "session_id" UUID NOT NULL,
    "title" TEXT NOT NULL,
    "until_message_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "shares_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "shares_user_id_created_at_id_idx" ON "shares"("user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "shares_session_id_idx" ON "shares"("session_id");

-- CreateIndex
CREATE INDEX "shares_until_message_id_idx" ON "shares"("until_message_id");

-- AddForeignKey
ALTER TABLE "shares" ADD CONSTRAINT "shares_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "shares" ADD CONSTRAINT "shares_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "chat_sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "shares" ADD CONSTRAINT "shares_until_message_id_fkey" FOREIGN KEY ("until_message_id") REFERENCES "chat_messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;
-- migration 20261123013500_web_push
-- CreateTable
CREATE TABLE "push_subscriptions" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "auth_session_id" UUID,
    "fingerprint" TEXT NOT NULL,
    "sealed" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "push_subscriptions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "push_keys" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "public_key" TEXT NOT NULL,
    "sealed_private_key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "push_keys_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "push_subscriptions_fingerprint_key" ON "push_subscriptions"("fingerprint");

-- CreateIndex
CREATE INDEX "push_subscriptions_user_id_idx" ON "push_subscriptions"("user_id");

-- CreateIndex
CREATE INDEX "push_subscriptions_auth_session_id_idx" ON "push_subscriptions"("auth_session_id");

-- AddForeignKey
ALTER TABLE "push_subscriptions" ADD CONSTRAINT "push_subscriptions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_subscriptions" ADD CONSTRAINT "push_subscriptions_auth_session_id_fkey" FOREIGN KEY ("auth_session_id") REFERENCES "auth_sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;
-- migration 20261123014700_watched_folders
-- CreateTable
CREATE TABLE "watched_folders" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "path" TEXT NOT NULL,
    "is_enabled" BOOLEAN NOT NULL DEFAULT true,
    "claimed_at" TIMESTAMPTZ(3),
    "seen" INTEGER NOT NULL DEFAULT 0,
    "scanned_at" TIMESTAMPTZ(3),
    "problem" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "watched_folders_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "watched_files" (
    "id" UUID NOT NULL,
    "folder_id" UUID NOT NULL,
    "relative_path" TEXT NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "modified_ms" BIGINT NOT NULL,
    "sha256" TEXT,
    "media_item_id" UUID,
    "state" TEXT NOT NULL,
    "problem" TEXT,
    "gone_at" TIMESTAMPTZ(3),
    "checked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "watched_files_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "watched_folders_user_id_path_key" ON "watched_folders"("user_id", "path");

-- CreateIndex
CREATE INDEX "watched_files_media_item_id_idx" ON "watched_files"("media_item_id");

-- CreateIndex
CREATE UNIQUE INDEX "watched_files_folder_id_relative_path_key" ON "watched_files"("folder_id", "relative_path");

-- AddForeignKey
ALTER TABLE "watched_folders" ADD CONSTRAINT "watched_folders_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "watched_files" ADD CONSTRAINT "watched_files_folder_id_fkey" FOREIGN KEY ("folder_id") REFERENCES "watched_folders"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "watched_files" ADD CONSTRAINT "watched_files_media_item_id_fkey" FOREIGN KEY ("media_item_id") REFERENCES "media_items"("id") ON DELETE SET NULL ON UPDATE CASCADE;

ALTER TABLE "watched_files" ADD CONSTRAINT "watched_files_state_check" CHECK ("state" IN ('kept', 'failed', 'gone'));
-- migration 20261123040000_conversation_tags
-- AlterTable
ALTER TABLE "chat_sessions" ADD COLUMN     "archived_at" TIMESTAMPTZ(3),
ADD COLUMN     "tags" TEXT[] DEFAULT ARRAY[]::TEXT[];
-- migration 20261123045000_overview_indexes
-- CreateIndex
CREATE INDEX "chat_sessions_user_id_created_at_idx" ON "chat_sessions"("user_id", "created_at" DESC);

-- The overview counts all calls of agents that a person ever made, and nothing else of what is older than a month.
CREATE INDEX "activities_agent_calls_idx" ON "activities" ("user_id") WHERE "kind" = 'agent';
-- migration 20261123045500_hook_notices
-- CreateTable
CREATE TABLE "hook_notices" (
    "id" BIGSERIAL NOT NULL,
    "user_id" UUID NOT NULL,
    "event" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "hook_notices_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "hook_notices_user_id_idx" ON "hook_notices"("user_id");

-- AddForeignKey
ALTER TABLE "hook_notices" ADD CONSTRAINT "hook_notices_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What happens is noted in its own transaction, for those alone who have a hook that wants it.
CREATE FUNCTION "note_for_hooks"("who" UUID, "what" TEXT, "told" JSONB) RETURNS VOID LANGUAGE sql AS $$
  INSERT INTO "hook_notices" ("user_id", "event", "data")
  SELECT who, what, told WHERE EXISTS (SELECT FROM "hooks" WHERE "user_id" = who AND what = ANY ("events"))
$$;

CREATE FUNCTION "note_processed_item"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "note_for_hooks"(
    NEW."user_id",
    CASE NEW."processing_status" WHEN 'failed' THEN 'media.failed' ELSE 'media.done' END,
    jsonb_build_object('id', NEW."id", 'title', NEW."original_filename", 'media_type', NEW."media_type")
      || CASE NEW."processing_status" WHEN 'failed' THEN jsonb_build_object('error', coalesce(NEW."error", '')) ELSE '{}' END);
  RETURN NULL;
END $$;

CREATE TRIGGER "media_items_note_processed" AFTER UPDATE OF "processing_status" ON "media_items" FOR EACH ROW
WHEN (NEW."processing_status" IN ('completed', 'failed') AND OLD."processing_status" <> NEW."processing_status")
EXECUTE FUNCTION "note_processed_item"();

CREATE FUNCTION "note_due_reminder"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  -- a recurring one has its next time already
  PERFORM "note_for_hooks"(NEW."user_id", 'reminder.due', jsonb_build_object('id', NEW."id", 'text', NEW."text",
    'due_at', to_char(OLD."due_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
  RETURN NULL;
END $$;

CREATE TRIGGER "reminders_note_due" AFTER UPDATE OF "fired_at" ON "reminders" FOR EACH ROW
WHEN (NEW."fired_at" IS NOT NULL AND NEW."fired_at" IS DISTINCT FROM OLD."fired_at")
EXECUTE FUNCTION "note_due_reminder"();

CREATE FUNCTION "note_answer"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "note_for_hooks"("user_id", 'chat.answered',
    jsonb_build_object('session_id', "id", 'message_id', NEW."id", 'title', "session_name"))
  FROM "chat_sessions" WHERE "id" = NEW."session_id";
  RETURN NULL;
END $$;

CREATE TRIGGER "chat_messages_note_answer" AFTER UPDATE OF "state" ON "chat_messages" FOR EACH ROW
WHEN (OLD."state" = 'streaming' AND NEW."state" = 'complete')
EXECUTE FUNCTION "note_answer"();

CREATE FUNCTION "note_ended_run"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "note_for_hooks"("id", 'automation.run',
    jsonb_build_object('id', NEW."id", 'task_type', NEW."task_type", 'status', NEW."status"))
  FROM "users" WHERE "role" = 'admin' AND "is_active";
  RETURN NULL;
END $$;

CREATE TRIGGER "automation_runs_note_ended" AFTER UPDATE OF "status" ON "automation_runs" FOR EACH ROW
WHEN (NEW."status" IN ('completed', 'failed', 'cancelled') AND OLD."status" <> NEW."status")
EXECUTE FUNCTION "note_ended_run"();
-- migration 20261123050000_projects
-- AlterTable
ALTER TABLE "chat_sessions" ADD COLUMN     "project_id" UUID;

-- CreateTable
CREATE TABLE "projects" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "instructions" TEXT NOT NULL DEFAULT '',
    "model" TEXT,
    "search" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "projects_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "project_items" (
    "project_id" UUID NOT NULL,
    "media_item_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "project_items_pkey" PRIMARY KEY ("project_id","media_item_id")
);

-- CreateIndex
CREATE INDEX "projects_user_id_idx" ON "projects"("user_id");

-- CreateIndex
CREATE INDEX "project_items_media_item_id_idx" ON "project_items"("media_item_id");

-- CreateIndex
CREATE INDEX "chat_sessions_project_id_idx" ON "chat_sessions"("project_id");

-- AddForeignKey
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "projects" ADD CONSTRAINT "projects_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_items" ADD CONSTRAINT "project_items_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_items" ADD CONSTRAINT "project_items_media_item_id_fkey" FOREIGN KEY ("media_item_id") REFERENCES "media_items"("id") ON DELETE CASCADE ON UPDATE CASCADE;
-- migration 20261123052500_own_mcp_servers
-- AlterTable
ALTER TABLE "mcp_servers" ADD COLUMN     "user_id" UUID;

-- CreateIndex
CREATE INDEX "mcp_servers_user_id_idx" ON "mcp_servers"("user_id");

-- AddForeignKey
ALTER TABLE "mcp_servers" ADD CONSTRAINT "mcp_servers_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A person's own server is never a program of this machine, and for nobody else.
ALTER TABLE "mcp_servers" ADD CONSTRAINT "mcp_servers_own_check" CHECK ("user_id" IS NULL OR ("command" IS NULL AND "audience" = 'chosen' AND "user_ids" = ARRAY["user_id"]));
-- migration 20261123053000_personas
-- AlterTable
ALTER TABLE "chat_sessions" ADD COLUMN     "persona_id" UUID;

-- CreateTable
CREATE TABLE "personas" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "instructions" TEXT NOT NULL DEFAULT '',
    "model" TEXT,
    "tools" JSONB,
    "starters" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "picture" TEXT,
    "shared_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "personas_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "persona_items" (
    "persona_id" UUID NOT NULL,
    "media_item_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "persona_items_pkey" PRIMARY KEY ("persona_id","media_item_id")
);

-- CreateIndex
CREATE INDEX "personas_user_id_idx" ON "personas"("user_id");

-- CreateIndex
CREATE INDEX "persona_items_media_item_id_idx" ON "persona_items"("media_item_id");

-- CreateIndex
CREATE INDEX "chat_sessions_persona_id_idx" ON "chat_sessions"("persona_id");

-- AddForeignKey
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_persona_id_fkey" FOREIGN KEY ("persona_id") REFERENCES "personas"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "personas" ADD CONSTRAINT "personas_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "persona_items" ADD CONSTRAINT "persona_items_persona_id_fkey" FOREIGN KEY ("persona_id") REFERENCES "personas"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "persona_items" ADD CONSTRAINT "persona_items_media_item_id_fkey" FOREIGN KEY ("media_item_id") REFERENCES "media_items"("id") ON DELETE CASCADE ON UPDATE CASCADE;
-- migration 20261123054000_answers_told_once
-- An answer that waits for its person to decide over a call goes on afterwards: it is told of at its end, once. A proposed fact
-- waits as well, but nothing goes on after it.
DROP TRIGGER "chat_messages_note_answer" ON "chat_messages";

CREATE TRIGGER "chat_messages_note_answer" AFTER UPDATE OF "state" ON "chat_messages" FOR EACH ROW
WHEN (OLD."state" = 'streaming' AND NEW."state" = 'complete'
  AND NOT NEW."agent_calls" @? '$[*] ? (@.state == "waiting" && @.name != "remember")')
EXECUTE FUNCTION "note_answer"();
-- migration 20261123081231_what_is_known_stays_a_limit
-- AlterTable
ALTER TABLE "personas" ADD COLUMN     "limited" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "limited" BOOLEAN NOT NULL DEFAULT false;

-- What has items or a search now was limited to them so far.
UPDATE "projects" SET "limited" = true
WHERE "search" IS NOT NULL OR EXISTS (SELECT FROM "project_items" k WHERE k."project_id" = "projects"."id");
UPDATE "personas" SET "limited" = true
WHERE EXISTS (SELECT FROM "persona_items" k WHERE k."persona_id" = "personas"."id");
-- migration 20261123081533_import_sizes
-- AlterTable
ALTER TABLE "imports" ADD COLUMN     "earliest_at" TIMESTAMPTZ(3),
ADD COLUMN     "latest_at" TIMESTAMPTZ(3),
ADD COLUMN     "size_bytes" BIGINT;
-- migration 20261123084500_personas_choose_all_tools
-- Whoever was allowed some agents could use all else that answers have so far.
UPDATE "personas"
SET "tools" = "tools" || '["search_memory", "remember", "search_web", "read_page", "make_picture"]'::jsonb
WHERE "tools" IS NOT NULL AND jsonb_typeof("tools") = 'array';
-- migration 20261123090000_mentions
-- AlterTable
ALTER TABLE "chat_messages" ADD COLUMN     "mentions" JSONB NOT NULL DEFAULT '[]';
-- migration 20261123091000_compared_answers
-- AlterTable
ALTER TABLE "chat_answers" ADD COLUMN     "is_beside" BOOLEAN NOT NULL DEFAULT false;

-- One answer at a time goes on with a conversation; those that are compared with it are made beside it.
DROP INDEX "chat_answers_running_key";
CREATE UNIQUE INDEX "chat_answers_running_key" ON "chat_answers" ("session_id") WHERE "finished_at" IS NULL AND NOT "is_beside";
-- migration 20261123093000_long_files
-- AlterTable
ALTER TABLE "media_steps" ADD COLUMN     "checkpoint" JSONB;

-- AlterTable
ALTER TABLE "partial_uploads" ADD COLUMN     "import_id" UUID,
ADD COLUMN     "import_source" TEXT,
ADD COLUMN     "is_import_preview" BOOLEAN NOT NULL DEFAULT false;
-- migration 20261123094000_waiting_answers_told
-- An answer that waits for its person to decide over a call is told of as well, since they may never decide: it says that it waits,
-- and is told again when it has gone on and ended. A proposed fact waits as well, but nothing goes on after it.
CREATE OR REPLACE FUNCTION "note_answer"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "note_for_hooks"("user_id", 'chat.answered',
    jsonb_build_object('session_id', "id", 'message_id', NEW."id", 'title', "session_name",
      'waiting', NEW."agent_calls" @? '$[*] ? (@.state == "waiting" && @.name != "remember")'))
  FROM "chat_sessions" WHERE "id" = NEW."session_id";
  RETURN NULL;
END $$;

DROP TRIGGER "chat_messages_note_answer" ON "chat_messages";

CREATE TRIGGER "chat_messages_note_answer" AFTER UPDATE OF "state" ON "chat_messages" FOR EACH ROW
WHEN (OLD."state" = 'streaming' AND NEW."state" = 'complete')
EXECUTE FUNCTION "note_answer"();
-- migration 20261123134500_motions
-- AlterTable
ALTER TABLE "media_copies" ADD COLUMN     "joined_item_id" UUID;

-- CreateIndex
CREATE INDEX "media_copies_joined_item_id_idx" ON "media_copies"("joined_item_id");

-- What a phone calls a picture and its film alike; by hand, as Prisma knows no index of an expression.
CREATE INDEX "media_items_content_identifier_idx" ON "media_items"("user_id", (details ->> 'content_identifier'))
  WHERE details ? 'content_identifier';

ALTER TABLE "media_copies" DROP CONSTRAINT "media_copies_kind_check";
ALTER TABLE "media_copies" ADD CONSTRAINT "media_copies_kind_check"
  CHECK ("kind" IN ('thumbnail', 'preview', 'motion', 'motion_preview'));
-- migration 20261123180708_imported_facts
-- AlterTable
ALTER TABLE "imports" ADD COLUMN     "completed" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "imported_facts" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "import_id" UUID NOT NULL,
    "media_item_id" UUID NOT NULL,
    "taken_at" TIMESTAMPTZ(3),
    "latitude" DOUBLE PRECISION,
    "longitude" DOUBLE PRECISION,
    "description" TEXT,

    CONSTRAINT "imported_facts_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "imported_facts_user_id_idx" ON "imported_facts"("user_id");

-- CreateIndex
CREATE INDEX "imported_facts_media_item_id_idx" ON "imported_facts"("media_item_id");

-- CreateIndex
CREATE UNIQUE INDEX "imported_facts_import_id_media_item_id_key" ON "imported_facts"("import_id", "media_item_id");

-- AddForeignKey
ALTER TABLE "imported_facts" ADD CONSTRAINT "imported_facts_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "imported_facts" ADD CONSTRAINT "imported_facts_import_id_fkey" FOREIGN KEY ("import_id") REFERENCES "imports"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "imported_facts" ADD CONSTRAINT "imported_facts_media_item_id_fkey" FOREIGN KEY ("media_item_id") REFERENCES "media_items"("id") ON DELETE CASCADE ON UPDATE CASCADE;
-- migration 20261123191500_imported_folders
-- AlterTable
ALTER TABLE "imported_things" ADD COLUMN     "folders" TEXT[] DEFAULT ARRAY[]::TEXT[];
-- migration 20261123214425_answer_error_told
-- AlterTable
ALTER TABLE "chat_messages" ADD COLUMN     "error_told" JSONB NOT NULL DEFAULT '[]';
-- migration 20261123220500_conversation_order
-- What Prisma cannot say: the list of conversations in its usual order, pinned ones first, so that a page of it is read and
-- not all that a person has. Its expression is that of the list (features/chat/sessions/sessions.store.ts).
CREATE INDEX "chat_sessions_list_idx" ON "chat_sessions" ("user_id", ("pinned_at" IS NOT NULL) DESC, "updated_at" DESC, "id" DESC);
-- migration 20261124020518_media_turns
-- CreateTable
CREATE TABLE "media_turns" (
    "media_item_id" UUID NOT NULL,
    "step_name" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "found" JSONB NOT NULL,

    CONSTRAINT "media_turns_pkey" PRIMARY KEY ("media_item_id","step_name","number")
);

-- AddForeignKey
ALTER TABLE "media_turns" ADD CONSTRAINT "media_turns_media_item_id_step_name_fkey" FOREIGN KEY ("media_item_id", "step_name") REFERENCES "media_steps"("media_item_id", "name") ON DELETE CASCADE ON UPDATE CASCADE;

-- What was found so far stood in the checkpoint, and was written again with each turn: it becomes the first turn.
-- A text that may go on in the next frame of a film stays in the checkpoint.
INSERT INTO "media_turns" ("media_item_id", "step_name", "number", "found")
SELECT "media_item_id", "name", 1,
  CASE WHEN "checkpoint" ? 'moments' THEN "checkpoint" -> 'moments'
    WHEN "checkpoint" #> '{texts,-1,endSeconds}' = 'null' THEN ("checkpoint" -> 'texts') - -1
    ELSE "checkpoint" -> 'texts' END
FROM "media_steps"
WHERE jsonb_typeof("checkpoint" -> 'moments') = 'array' OR jsonb_typeof("checkpoint" -> 'texts') = 'array';

UPDATE "media_steps" SET "checkpoint" = ("checkpoint" - 'texts') || jsonb_build_object('open',
  CASE WHEN "checkpoint" #> '{texts,-1,endSeconds}' = 'null' THEN "checkpoint" #> '{texts,-1}' END)
WHERE jsonb_typeof("checkpoint" -> 'texts') = 'array';

-- Of a PDF only the pages that are left to be read are kept.
UPDATE "media_steps" SET "checkpoint" = ("checkpoint" - '{moments,little}'::text[]) || (
  SELECT jsonb_build_object('nextPage', NULL, 'characters', 0,
    'left', coalesce(jsonb_agg(page ORDER BY n) FILTER (WHERE n > ("checkpoint" ->> 'done')::int), '[]'),
    'added', count(*) FILTER (WHERE page ? 'isAdded'), 'bare', count(*) FILTER (WHERE NOT page ? 'isAdded'))
  FROM jsonb_array_elements("checkpoint" -> 'little') WITH ORDINALITY AS pages (page, n))
WHERE jsonb_typeof("checkpoint" -> 'little') = 'array';

UPDATE "media_steps" SET "checkpoint" = "checkpoint" - 'moments' WHERE "checkpoint" ? 'moments';
-- migration 20261124021000_tags_in_lower_case
-- What Prisma cannot say: a search asks for tags whatever their case, and without an index it read every item that a person
-- has. The index holds those with tags alone; its expression is that of the search (features/memory/scope.ts).
CREATE FUNCTION "lower_case"("words" TEXT[]) RETURNS TEXT[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT ARRAY(SELECT lower(word) FROM unnest($1) AS given (word)) $$;

CREATE INDEX "media_items_tags_lower_case_idx" ON "media_items" USING gin ("lower_case"("tags")) WHERE "tags" <> '{}';
-- migration 20261124022117_person_counts
-- CreateTable
CREATE TABLE "person_counts" (
    "user_id" UUID NOT NULL,
    "subject" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "bytes" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "person_counts_pkey" PRIMARY KEY ("user_id","subject")
);

-- AddForeignKey
ALTER TABLE "person_counts" ADD CONSTRAINT "person_counts_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma cannot say: whatever adds or removes conversations and items counts them, in the transaction that does it. What
-- is removed never makes a row: an account that is deleted takes its rows along, perhaps before its items.
CREATE FUNCTION "count_added"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'media_items' THEN
    INSERT INTO person_counts AS kept (user_id, subject, count, bytes)
      SELECT user_id, media_type, count(*), sum(size_bytes) FROM added GROUP BY 1, 2 ORDER BY 1, 2
      ON CONFLICT (user_id, subject) DO UPDATE SET count = kept.count + excluded.count, bytes = kept.bytes + excluded.bytes;
  ELSE
    INSERT INTO person_counts AS kept (user_id, subject, count)
      SELECT user_id, 'conversation', count(*) FROM added GROUP BY 1 ORDER BY 1
      ON CONFLICT (user_id, subject) DO UPDATE SET count = kept.count + excluded.count;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION "count_removed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- in the order in which whatever adds locks them, so that neither waits for the other for ever
  PERFORM FROM person_counts kept WHERE kept.user_id IN (SELECT user_id FROM removed) ORDER BY kept.user_id, kept.subject FOR UPDATE;
  IF TG_TABLE_NAME = 'media_items' THEN
    UPDATE person_counts kept SET count = kept.count - gone.count, bytes = kept.bytes - gone.bytes
      FROM (SELECT user_id, media_type, count(*), sum(size_bytes) AS bytes FROM removed GROUP BY 1, 2) gone
      WHERE kept.user_id = gone.user_id AND kept.subject = gone.media_type;
  ELSE
    UPDATE person_counts kept SET count = kept.count - gone.count
      FROM (SELECT user_id, count(*) FROM removed GROUP BY 1) gone
      WHERE kept.user_id = gone.user_id AND kept.subject = 'conversation';
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION "count_changed_item"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM person_counts kept WHERE (kept.user_id, kept.subject) IN ((OLD.user_id, OLD.media_type), (NEW.user_id, NEW.media_type))
    ORDER BY kept.user_id, kept.subject FOR UPDATE;
  UPDATE person_counts SET count = count - 1, bytes = bytes - OLD.size_bytes
    WHERE user_id = OLD.user_id AND subject = OLD.media_type;
  INSERT INTO person_counts AS kept (user_id, subject, count, bytes) VALUES (NEW.user_id, NEW.media_type, 1, NEW.size_bytes)
    ON CONFLICT (user_id, subject) DO UPDATE SET count = kept.count + 1, bytes = kept.bytes + excluded.bytes;
  RETURN NULL;
END $$;

CREATE TRIGGER "media_items_count_added" AFTER INSERT ON "media_items" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "count_added"();
CREATE TRIGGER "media_items_count_removed" AFTER DELETE ON "media_items" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION "count_removed"();
-- a note that is written on has another size
CREATE TRIGGER "media_items_count_changed" AFTER UPDATE OF "user_id", "media_type", "size_bytes" ON "media_items" FOR EACH ROW
  WHEN ((OLD.user_id, OLD.media_type, OLD.size_bytes) IS DISTINCT FROM (NEW.user_id, NEW.media_type, NEW.size_bytes))
  EXECUTE FUNCTION "count_changed_item"();
CREATE TRIGGER "chat_sessions_count_added" AFTER INSERT ON "chat_sessions" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "count_added"();
CREATE TRIGGER "chat_sessions_count_removed" AFTER DELETE ON "chat_sessions" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION "count_removed"();

-- after the triggers, which nobody who writes passes by meanwhile
INSERT INTO "person_counts" ("user_id", "subject", "count", "bytes")
  SELECT "user_id", "media_type", count(*), sum("size_bytes") FROM "media_items" GROUP BY 1, 2
  UNION ALL SELECT "user_id", 'conversation', count(*), 0 FROM "chat_sessions" GROUP BY 1;
-- migration 20261124024300_imports_in_portions
-- Servers of the version before that delete a conversation lock messages first, and what was imported afterwards.
LOCK TABLE "chat_messages" IN ACCESS EXCLUSIVE MODE;

-- How far the reading of a file is.
ALTER TABLE "imports" ADD COLUMN "read_bytes" BIGINT, ADD COLUMN "read_of_bytes" BIGINT;

-- Conversations are stored first, and made findable afterwards: writing the indexes of words takes far longer than the rows.
ALTER TABLE "imported_things" ADD COLUMN "is_searched" BOOLEAN NOT NULL DEFAULT true;
ALTER TABLE "chat_messages" ALTER COLUMN "lang" DROP NOT NULL;

-- What Prisma cannot say: conversations that are not findable yet, and the trigrams of the messages that are.
CREATE INDEX "imported_things_unsearched_idx" ON "imported_things" ("import_id", "id") WHERE NOT "is_searched";
DROP INDEX "chat_messages_content_trgm_idx";
CREATE INDEX "chat_messages_searched_content_trgm_idx" ON "chat_messages" USING GIN ("content" gin_trgm_ops) WHERE "lang" IS NOT NULL;
-- migration 20261124201500_step_places
-- AlterTable
ALTER TABLE "media_steps" ADD COLUMN "worked_ms" INTEGER NOT NULL DEFAULT 0;

-- Where a long step goes on is kept together with how many turns found something before: what a server of another version
-- kept is told by that, and what it found is not taken for ours.
UPDATE "media_steps" s SET "checkpoint" = jsonb_build_object(
  'turns', (SELECT count(*) FROM "media_turns" t WHERE t."media_item_id" = s."media_item_id" AND t."step_name" = s."name"),
  'at', s."checkpoint")
WHERE s."checkpoint" IS NOT NULL;
-- migration 20261125193748_conversation_figures
-- CreateTable
CREATE TABLE "chat_session_figures" (
    "session_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "message_count" INTEGER NOT NULL DEFAULT 0,
    "tokens_used" BIGINT NOT NULL DEFAULT 0,
    "timed_answers" INTEGER NOT NULL DEFAULT 0,
    "response_ms" BIGINT NOT NULL DEFAULT 0,
    "agent_calls" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "chat_session_figures_pkey" PRIMARY KEY ("session_id")
);

-- CreateTable
CREATE TABLE "chat_person_figures" (
    "user_id" UUID NOT NULL,
    "timed_answers" INTEGER NOT NULL,
    "response_ms" BIGINT NOT NULL,
    "agent_calls" INTEGER NOT NULL,

    CONSTRAINT "chat_person_figures_pkey" PRIMARY KEY ("user_id")
);

-- CreateIndex
CREATE INDEX "chat_session_figures_user_id_message_count_session_id_idx" ON "chat_session_figures"("user_id", "message_count", "session_id");

-- CreateIndex
CREATE INDEX "chat_session_figures_user_id_tokens_used_session_id_idx" ON "chat_session_figures"("user_id", "tokens_used", "session_id");

-- AddForeignKey
ALTER TABLE "chat_session_figures" ADD CONSTRAINT "chat_session_figures_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "chat_sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "chat_person_figures" ADD CONSTRAINT "chat_person_figures_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma cannot say: the third order of the list, whose expression is that of the list
-- (features/chat/sessions/sessions.store.ts).
CREATE INDEX "chat_session_figures_average_idx" ON "chat_session_figures"
  ("user_id", (coalesce(("response_ms"::numeric / nullif("timed_answers", 0))::float8, -1)), "session_id");

-- Calls of tools that are no agents do not count. A test compares the names with those that the product knows.
CREATE FUNCTION "agent_calls_in"(calls jsonb) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_array_length(jsonb_path_query_array(calls,
    '$[*] ? (@.name <> "search_memory" && @.name <> "search_web" && @.name <> "read_page" && @.name <> "make_picture")'))
$$;

-- Whatever adds, changes or removes messages counts them, in the transaction that does it: first in the figures of their
-- conversations, in the order of their ids, then in those of the person, so that no two wait for each other for ever.
CREATE FUNCTION "figure_added_sessions"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO chat_session_figures (session_id, user_id) SELECT id, user_id FROM added ORDER BY id ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION "figure_added_messages"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO chat_session_figures AS kept
      (session_id, user_id, message_count, tokens_used, timed_answers, response_ms, agent_calls)
    SELECT m.session_id, s.user_id, count(*), sum(coalesce(m.input_tokens, 0) + coalesce(m.output_tokens, 0)),
      count(m.duration_ms) FILTER (WHERE m.state = 'complete'),
      coalesce(sum(m.duration_ms) FILTER (WHERE m.state = 'complete'), 0),
      coalesce(sum(agent_calls_in(m.agent_calls)) FILTER (WHERE m.agent_calls <> '[]'), 0)
    FROM added m JOIN chat_sessions s ON s.id = m.session_id GROUP BY 1, 2 ORDER BY 1
    ON CONFLICT (session_id) DO UPDATE SET message_count = kept.message_count + excluded.message_count,
      tokens_used = kept.tokens_used + excluded.tokens_used, timed_answers = kept.timed_answers + excluded.timed_answers,
      response_ms = kept.response_ms + excluded.response_ms, agent_calls = kept.agent_calls + excluded.agent_calls;
  RETURN NULL;
END $$;

CREATE FUNCTION "figure_removed_messages"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- those of a conversation that goes as a whole are gone before its messages
  PERFORM FROM chat_session_figures kept WHERE kept.session_id IN (SELECT session_id FROM removed)
    ORDER BY kept.session_id FOR UPDATE;
  UPDATE chat_session_figures kept SET message_count = kept.message_count - gone.message_count,
      tokens_used = kept.tokens_used - gone.tokens_used, timed_answers = kept.timed_answers - gone.timed_answers,
      response_ms = kept.response_ms - gone.response_ms, agent_calls = kept.agent_calls - gone.agent_calls
    FROM (
      SELECT session_id, count(*) AS message_count,
        sum(coalesce(input_tokens, 0) + coalesce(output_tokens, 0)) AS tokens_used,
        count(duration_ms) FILTER (WHERE state = 'complete') AS timed_answers,
        coalesce(sum(duration_ms) FILTER (WHERE state = 'complete'), 0) AS response_ms,
        coalesce(sum(agent_calls_in(agent_calls)) FILTER (WHERE agent_calls <> '[]'), 0) AS agent_calls
      FROM removed GROUP BY 1
    ) gone WHERE kept.session_id = gone.session_id;
  RETURN NULL;
END $$;

CREATE FUNCTION "figure_changed_message"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  was_timed boolean := OLD.state = 'complete' AND OLD.duration_ms IS NOT NULL;
  is_timed boolean := NEW.state = 'complete' AND NEW.duration_ms IS NOT NULL;
BEGIN
  UPDATE chat_session_figures SET
      tokens_used = tokens_used + coalesce(NEW.input_tokens, 0) + coalesce(NEW.output_tokens, 0)
        - coalesce(OLD.input_tokens, 0) - coalesce(OLD.output_tokens, 0),
      timed_answers = timed_answers + is_timed::int - was_timed::int,
      response_ms = response_ms + CASE WHEN is_timed THEN NEW.duration_ms ELSE 0 END
        - CASE WHEN was_timed THEN OLD.duration_ms ELSE 0 END,
      agent_calls = agent_calls + agent_calls_in(NEW.agent_calls) - agent_calls_in(OLD.agent_calls)
    WHERE session_id = NEW.session_id;
  RETURN NULL;
END $$;

CREATE FUNCTION "figure_person"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO chat_person_figures AS kept (user_id, timed_answers, response_ms, agent_calls)
    VALUES (NEW.user_id, NEW.timed_answers - coalesce(OLD.timed_answers, 0), NEW.response_ms - coalesce(OLD.response_ms, 0),
      NEW.agent_calls - coalesce(OLD.agent_calls, 0))
    ON CONFLICT (user_id) DO UPDATE SET timed_answers = kept.timed_answers + excluded.timed_answers,
      response_ms = kept.response_ms + excluded.response_ms, agent_calls = kept.agent_calls + excluded.agent_calls;
  RETURN NULL;
END $$;

-- What is removed never makes a row: an account that is deleted takes its row along, perhaps before its conversations.
CREATE FUNCTION "figure_person_less"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM chat_person_figures kept WHERE kept.user_id IN (SELECT user_id FROM removed) ORDER BY kept.user_id FOR UPDATE;
  UPDATE chat_person_figures kept SET timed_answers = kept.timed_answers - gone.timed_answers,
      response_ms = kept.response_ms - gone.response_ms, agent_calls = kept.agent_calls - gone.agent_calls
    FROM (
      SELECT user_id, sum(timed_answers) AS timed_answers, sum(response_ms) AS response_ms, sum(agent_calls) AS agent_calls
      FROM removed GROUP BY 1
    ) gone WHERE kept.user_id = gone.user_id;
  RETURN NULL;
END $$;

CREATE TRIGGER "chat_sessions_figure_added" AFTER INSERT ON "chat_sessions" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "figure_added_sessions"();
CREATE TRIGGER "chat_messages_figure_added" AFTER INSERT ON "chat_messages" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "figure_added_messages"();
CREATE TRIGGER "chat_messages_figure_removed" AFTER DELETE ON "chat_messages" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION "figure_removed_messages"();
CREATE TRIGGER "chat_messages_figure_changed"
  AFTER UPDATE OF "state", "input_tokens", "output_tokens", "duration_ms", "agent_calls" ON "chat_messages" FOR EACH ROW
  WHEN ((OLD.state, OLD.input_tokens, OLD.output_tokens, OLD.duration_ms, OLD.agent_calls)
    IS DISTINCT FROM (NEW.state, NEW.input_tokens, NEW.output_tokens, NEW.duration_ms, NEW.agent_calls))
  EXECUTE FUNCTION "figure_changed_message"();

-- after the triggers, which nobody who writes passes by meanwhile, and before those of the figures themselves: there each row
-- would change that of its person
INSERT INTO "chat_session_figures" ("session_id", "user_id", "message_count", "tokens_used", "timed_answers", "response_ms", "agent_calls")
  SELECT s.id, s.user_id, count(m.id), coalesce(sum(coalesce(m.input_tokens, 0) + coalesce(m.output_tokens, 0)), 0),
    count(m.duration_ms) FILTER (WHERE m.state = 'complete'),
    coalesce(sum(m.duration_ms) FILTER (WHERE m.state = 'complete'), 0),
    coalesce(sum(agent_calls_in(m.agent_calls)) FILTER (WHERE m.agent_calls <> '[]'), 0)
  FROM "chat_sessions" s LEFT JOIN "chat_messages" m ON m.session_id = s.id GROUP BY s.id;
INSERT INTO "chat_person_figures" ("user_id", "timed_answers", "response_ms", "agent_calls")
  SELECT "user_id", sum("timed_answers"), sum("response_ms"), sum("agent_calls") FROM "chat_session_figures" GROUP BY 1;

CREATE TRIGGER "chat_session_figures_person_added" AFTER INSERT ON "chat_session_figures" FOR EACH ROW
  WHEN ((NEW.timed_answers, NEW.agent_calls) <> (0, 0)) EXECUTE FUNCTION "figure_person"();
CREATE TRIGGER "chat_session_figures_person_changed" AFTER UPDATE ON "chat_session_figures" FOR EACH ROW
  WHEN ((OLD.timed_answers, OLD.response_ms, OLD.agent_calls) <> (NEW.timed_answers, NEW.response_ms, NEW.agent_calls))
  EXECUTE FUNCTION "figure_person"();
CREATE TRIGGER "chat_session_figures_person_removed" AFTER DELETE ON "chat_session_figures" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION "figure_person_less"();
-- migration 20261125200500_overview_of_sums
-- What Prisma cannot say: the overview reads sums of hours, and beside them what they leave out.
CREATE INDEX "activities_outside_analytics_idx" ON "activities" ("user_id", "created_at") WHERE NOT "in_analytics";
-- migration 20261125203000_vector_total
-- What Prisma cannot say: adds vectors as pgvector adds two, without the list of numbers that its avg and sum make anew for each.
-- Of a direction nothing else is needed: a sum has that of the mean.
CREATE AGGREGATE "vector_total"(vector) (SFUNC = vector_add, STYPE = vector);
-- migration 20261125235500_imported_tags
-- AlterTable
ALTER TABLE "imported_facts" ADD COLUMN     "shared_tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "tags" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- What Prisma cannot say: a tag that is taken off an item is no longer one that an import added to it. Who adds it again
-- has a tag of their own, which stays when the import is undone.
CREATE FUNCTION "forget_imported_tags"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "imported_facts" f SET
    "tags" = ARRAY(SELECT tag FROM unnest(f."tags") AS given (tag) WHERE tag = ANY (NEW."tags")),
    "shared_tags" = ARRAY(SELECT tag FROM unnest(f."shared_tags") AS given (tag) WHERE tag = ANY (NEW."tags"))
  WHERE f."media_item_id" = NEW."id" AND NOT (f."tags" || f."shared_tags") <@ NEW."tags";
  RETURN NULL;
END $$;

CREATE TRIGGER "media_items_forget_imported_tags" AFTER UPDATE OF "tags" ON "media_items" FOR EACH ROW
  WHEN (NOT OLD."tags" <@ NEW."tags") EXECUTE FUNCTION "forget_imported_tags"();
-- migration 20261126034500_activity_days
-- AlterTable
ALTER TABLE "activity_rollups" ADD COLUMN     "days_until" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "activity_days" (
    "day" TIMESTAMPTZ(3) NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "hours" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "completed" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "duration_classes" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "first_token_classes" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "session_ids" BYTEA,
    "session_ms" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "activity_days_pkey" PRIMARY KEY ("day","user_id","kind")
);

-- CreateTable
CREATE TABLE "activity_day_totals" (
    "day" TIMESTAMPTZ(3) NOT NULL,
    "kind" TEXT NOT NULL,
    "hours" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "completed" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "duration_classes" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "first_token_classes" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "session_ids" BYTEA,
    "session_ms" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "activity_day_totals_pkey" PRIMARY KEY ("day","kind")
);

-- CreateIndex
CREATE INDEX "activity_days_user_id_day_idx" ON "activity_days"("user_id", "day");

-- AddForeignKey
ALTER TABLE "activity_days" ADD CONSTRAINT "activity_days_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Nothing is added up here: the job that adds hours up makes the days of those that are there, and until then figures are read
-- from the hours.
-- migration 20261127231157_restored_access_waits
-- AlterTable
ALTER TABLE "hooks" ADD COLUMN     "suspended_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "oidc_identities" ADD COLUMN     "suspended_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "passkeys" ADD COLUMN     "suspended_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "shares" ADD COLUMN     "suspended_at" TIMESTAMPTZ(3);

-- Whoever gains access to an account, or is sent something out of it, its owner is notified: whatever code adds the row.
-- Arguments: the kind of access, and the column that names it.
CREATE FUNCTION "notify_of_new_access"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  "added" JSONB := to_jsonb(NEW);
  "owner_id" UUID := ("added" ->> 'user_id')::uuid;
  "title" TEXT := coalesce("added" ->> TG_ARGV[1], '');
BEGIN
  -- what administrators connect for everybody is in the audit log
  IF "owner_id" IS NULL THEN RETURN NULL; END IF;
  IF TG_ARGV[0] = 'session' AND (
    NOT EXISTS (SELECT FROM "auth_sessions" WHERE "user_id" = "owner_id" AND "id" <> ("added" ->> 'id')::uuid)
    OR EXISTS (SELECT FROM "auth_sessions" WHERE "user_id" = "owner_id" AND "id" <> ("added" ->> 'id')::uuid
      AND "user_agent" = "added" ->> 'user_agent')
  ) THEN
    -- a first sign-in, or a browser that is signed in already
    RETURN NULL;
  END IF;
  IF TG_ARGV[0] = 'share' AND EXISTS (SELECT FROM "notifications" WHERE "user_id" = "owner_id" AND "kind" = 'access_added'
    AND "params" ->> 'access' = 'share' AND "read_at" IS NULL) THEN
    -- links are made often: one unread notification points to the list of all
    RETURN NULL;
  END IF;
  IF TG_ARGV[0] = 'program' THEN
    SELECT "name" INTO "title" FROM "oauth_clients" WHERE "id" = ("added" ->> 'client_id')::uuid;
  END IF;
  IF TG_ARGV[0] = 'push' OR coalesce("title", '') = '' THEN
    "title" := replace(TG_ARGV[0], '_', ' ');
  END IF;
  INSERT INTO "notifications" ("id", "user_id", "kind", "params", "link")
  VALUES (gen_random_uuid(), "owner_id", 'access_added',
    jsonb_build_object('access', TG_ARGV[0], 'title', left(coalesce("title", ''), 200)), '/dashboard?tab=settings#access');
  -- open pages read what is behind the bell again
  PERFORM pg_notify('mira_user_events',
    json_build_object('origin', 'database', 'user_id', "owner_id", 'event', json_build_object('type', 'notifications.read'))::text);
  RETURN NULL;
END $$;

CREATE TRIGGER "auth_sessions_notify" AFTER INSERT ON "auth_sessions" FOR EACH ROW EXECUTE FUNCTION "notify_of_new_access"('session', 'user_agent');
CREATE TRIGGER "api_tokens_notify" AFTER INSERT ON "api_tokens" FOR EACH ROW EXECUTE FUNCTION "notify_of_new_access"('api_token', 'name');
CREATE TRIGGER "oauth_grants_notify" AFTER INSERT ON "oauth_grants" FOR EACH ROW EXECUTE FUNCTION "notify_of_new_access"('program', 'client_id');
CREATE TRIGGER "passkeys_notify" AFTER INSERT ON "passkeys" FOR EACH ROW EXECUTE FUNCTION "notify_of_new_access"('passkey', 'name');
CREATE TRIGGER "oidc_identities_notify" AFTER INSERT ON "oidc_identities" FOR EACH ROW EXECUTE FUNCTION "notify_of_new_access"('oidc', 'issuer');
CREATE TRIGGER "shares_notify" AFTER INSERT ON "shares" FOR EACH ROW EXECUTE FUNCTION "notify_of_new_access"('share', 'title');
CREATE TRIGGER "hooks_notify" AFTER INSERT ON "hooks" FOR EACH ROW EXECUTE FUNCTION "notify_of_new_access"('webhook', 'name');
CREATE TRIGGER "mcp_servers_notify" AFTER INSERT ON "mcp_servers" FOR EACH ROW EXECUTE FUNCTION "notify_of_new_access"('mcp_server', 'name');
CREATE TRIGGER "push_subscriptions_notify" AFTER INSERT ON "push_subscriptions" FOR EACH ROW EXECUTE FUNCTION "notify_of_new_access"('push', '');
-- migration 20261128000846_audit_chain
-- CreateTable
CREATE TABLE "audit_links" (
    "sequence" BIGINT NOT NULL,
    "entry_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_links_pkey" PRIMARY KEY ("sequence")
);

-- CreateTable
CREATE TABLE "audit_chain" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "verified_at" TIMESTAMPTZ(3),
    "broken_at" TIMESTAMPTZ(3),
    "sent_through" BIGINT NOT NULL DEFAULT 0,
    "sending_until" TIMESTAMPTZ(3),

    CONSTRAINT "audit_chain_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "audit_links_entry_id_key" ON "audit_links"("entry_id");
-- migration 20261128002600_proven_backups
-- AlterTable
ALTER TABLE "backups" ADD COLUMN     "proof_error" TEXT,
ADD COLUMN     "proof_told" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN     "proof_tries" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "proven_at" TIMESTAMPTZ(3),
ADD COLUMN     "reason" TEXT NOT NULL DEFAULT 'manual',
ADD COLUMN     "unproven_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "damaged_files" (
    "path" TEXT NOT NULL,
    "problem" TEXT NOT NULL,
    "found_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "repaired_at" TIMESTAMPTZ(3),
    "repaired_from" TEXT,

    CONSTRAINT "damaged_files_pkey" PRIMARY KEY ("path")
);

-- CreateIndex
CREATE INDEX "damaged_files_found_at_idx" ON "damaged_files"("found_at" DESC);

ALTER TABLE "backups" ADD CONSTRAINT "backups_reason_check" CHECK ("reason" IN ('manual', 'schedule', 'update'));
ALTER TABLE "damaged_files" ADD CONSTRAINT "damaged_files_problem_check" CHECK ("problem" IN ('damaged', 'missing'));
-- migration 20261128040000_push_without_session
-- An API token could add a device until scopes followed the call, and the device stayed when the token was revoked.
DELETE FROM "push_subscriptions" WHERE "auth_session_id" IS NULL;
-- migration 20261128040000_whole_words
-- Words are looked for as a reader sees them: one that a hyphen parts at the end of a line is whole, too, ligatures and full-width
-- letters are plain ones, and what is not seen does not count. The text itself keeps what it has.

-- The form in which the words of a text are looked for (lib/searched-form.ts reads queries so). U+001F stands where a word
-- goes on behind a break that may be part of it.
CREATE FUNCTION "searched_form"(body text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  unspaced CONSTANT text := '[\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3005-\u3007\u3040-\u30FF\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\U00020000-\U0003FFFF]';
  letter CONSTANT text := '[^[:space:][:punct:][:cntrl:]0-9]';
  plain text := body;
BEGIN
  IF octet_length(plain) > length(plain) THEN
    IF plain IS NOT NFKC NORMALIZED THEN
      -- raised digits behind a word or a number belong to a footnote or a power, fractions stand behind their whole number
      plain := regexp_replace(plain, '(' || letter || '{4}|[0-9])([\u00B2\u00B3\u00B9\u2070-\u2079])', '\1 \2', 'g');
      plain := regexp_replace(plain, '([0-9])([\u00BC-\u00BE\u2150-\u215E])', '\1 \2', 'g');
      plain := normalize(plain, NFKC);
    END IF;
    plain := regexp_replace(plain, '(' || letter || ')[-\u00AD\u2010][ \t\r]*\n[ \t\r]*(?:>[ \t\r]*)*(?=[^[:space:][:punct:][:cntrl:]])', E'\\1\x1f', 'g');
    IF plain ~ '[\u00AD\u034F\u061C\u0640\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFE00-\uFE0F\uFEFF]' THEN
      -- it keeps the parts of an Arabic or Persian word apart
      plain := regexp_replace(plain, '([\u0620-\u06D3])\u200C(?=[\u0620-\u06D3])', E'\\1\x1f', 'g');
      plain := regexp_replace(plain, '[\u00AD\u034F\u061C\u0640\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFE00-\uFE0F\uFEFF]+', '', 'g');
    END IF;
    IF plain ~ unspaced THEN
      plain := regexp_replace(plain, '(' || unspaced || ')[ \t\r]*\n[ \t\r]*(?=' || unspaced || ')', '\1', 'g');
    END IF;
    RETURN plain;
  END IF;
  IF plain ~ '-[ \t\r]*\n' THEN
    plain := regexp_replace(plain, '([A-Za-z])-[ \t\r]*\n[ \t\r]*(?:>[ \t\r]*)*(?=[A-Za-z0-9])', E'\\1\x1f', 'g');
  END IF;
  RETURN plain;
END
$$;

-- A text in which words that were broken are whole, for phrases.
CREATE FUNCTION "whole_words"(body text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT replace(public."searched_form"(body), E'\x1f', '')
$$;

-- The words of a text as they are looked for: stems in its language, the parts of what holds punctuation, of a word that was
-- broken its parts and the whole, and of scripts without spaces each pair of neighbours and the last character of a stretch.
CREATE OR REPLACE FUNCTION "moment_words"(lang regconfig, body text) RETURNS tsvector LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  unspaced CONSTANT text := '[\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3005-\u3007\u3040-\u30FF\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\U00020000-\U0003FFFF]+';
  -- inside of what the parser takes in one piece: addresses, names of files, numbers
  joining CONSTANT text := '[-_./@:''’&=?%#~+*|<>\\]';
  configuration CONSTANT regconfig := CASE lang::text
    WHEN 'english' THEN 'public.english_words' WHEN 'spanish' THEN 'public.spanish_words'
    WHEN 'french' THEN 'public.french_words' WHEN 'german' THEN 'public.german_words' ELSE lang::text END;
  plain text := public."searched_form"(left(body, 100000));
  pairs text;
BEGIN
  plain := regexp_replace(plain, joining, ' ', 'g');
  IF strpos(plain, E'\x1f') > 0 THEN
    SELECT plain || ' ' || string_agg(replace(texts[1], E'\x1f', ''), ' ') INTO plain
      FROM regexp_matches(plain, '[^[:space:]\x1f]+(?:\x1f[^[:space:]\x1f]+)+', 'g') AS found (texts);
    plain := replace(plain, E'\x1f', ' ');
  END IF;
  IF plain !~ unspaced THEN RETURN to_tsvector(configuration, plain); END IF;
  SELECT string_agg(format('''%s'':%s', pair, least(place, 16383)), ' ') INTO pairs FROM (
    SELECT symbol || coalesce(lead(symbol) OVER (PARTITION BY stretch ORDER BY i), '') AS pair,
      row_number() OVER (ORDER BY stretch, i) AS place
    FROM regexp_matches(plain, '(' || unspaced || ')', 'g') WITH ORDINALITY AS found (texts, stretch),
      unnest(string_to_array(texts[1], NULL)) WITH ORDINALITY AS symbols (symbol, i)
    LIMIT 30000
  ) placed;
  RETURN to_tsvector(configuration, regexp_replace(plain, unspaced, ' ', 'g')) || pairs::tsvector;
END
$$;

CREATE OR REPLACE FUNCTION "index_moment"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."tsv" := public."moment_words"(NEW."lang", NEW."body");
  NEW."indexed_as" := 2;
  RETURN NEW;
END
$$;

-- The job that renews words begins anew: a new column is empty without a row being written. Words that are there are found meanwhile.
ALTER TABLE "moments" DROP COLUMN "indexed_as";
ALTER TABLE "moments" ADD COLUMN "indexed_as" SMALLINT;
CREATE INDEX "moments_not_indexed_idx" ON "moments" ("id") WHERE "indexed_as" IS NULL;
-- migration 20261128042000_answer_stop_reason
-- AlterTable
ALTER TABLE "chat_messages" ADD COLUMN     "stop_reason" TEXT;
-- migration 20261128043000_own_dates_and_places
-- What was known so far is what files and other programs tell. What holds is made of that and of what people say.
DROP INDEX "media_items_user_id_taken_at_idx";
DROP INDEX "media_items_time_idx";

ALTER TABLE "media_items" RENAME COLUMN "taken_at" TO "found_taken_at";
ALTER TABLE "media_items" RENAME COLUMN "latitude" TO "found_latitude";
ALTER TABLE "media_items" RENAME COLUMN "longitude" TO "found_longitude";

ALTER TABLE "media_items" ADD COLUMN     "found_taken_local" TIMESTAMP(3),
ADD COLUMN     "own_taken_at" TIMESTAMPTZ(3),
ADD COLUMN     "own_taken_local" TIMESTAMP(3),
ADD COLUMN     "own_latitude" DOUBLE PRECISION,
ADD COLUMN     "own_longitude" DOUBLE PRECISION;

-- The clock stood among the details.
UPDATE "media_items" SET "details" = "details" - 'taken_local',
  "found_taken_local" = CASE WHEN "details" ->> 'taken_local' ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$' THEN ("details" ->> 'taken_local')::timestamp END
WHERE "details" ? 'taken_local';

ALTER TABLE "media_items"
ADD COLUMN     "taken_at" TIMESTAMPTZ(3) GENERATED ALWAYS AS (COALESCE(own_taken_at, found_taken_at)) STORED,
ADD COLUMN     "taken_local" TIMESTAMP(3) GENERATED ALWAYS AS (COALESCE(own_taken_local, found_taken_local, (found_taken_at AT TIME ZONE 'UTC'::text))) STORED,
ADD COLUMN     "latitude" DOUBLE PRECISION GENERATED ALWAYS AS (COALESCE(own_latitude, found_latitude)) STORED,
ADD COLUMN     "longitude" DOUBLE PRECISION GENERATED ALWAYS AS (COALESCE(own_longitude, found_longitude)) STORED,
ADD CONSTRAINT "media_items_own_taken_check" CHECK (("own_taken_at" IS NULL) = ("own_taken_local" IS NULL)),
ADD CONSTRAINT "media_items_own_place_check" CHECK (("own_latitude" IS NULL) = ("own_longitude" IS NULL));

-- CreateIndex
CREATE INDEX "media_items_user_id_taken_local_idx" ON "media_items"("user_id", "taken_local");

-- What the library is sorted by, as its queries say it.
CREATE INDEX "media_items_time_idx" ON "media_items" ("user_id", coalesce("taken_local", "created_at" AT TIME ZONE 'UTC') DESC, "id" DESC);
-- migration 20261128043100_keeps_places
-- AlterTable
ALTER TABLE "users" ADD COLUMN     "keeps_places" BOOLEAN NOT NULL DEFAULT false;
-- migration 20261128043700_trash
-- AlterTable
ALTER TABLE "agent_runs" ALTER COLUMN "user_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "chat_session_figures" ALTER COLUMN "user_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "chat_sessions" ADD COLUMN     "trashed_at" TIMESTAMPTZ(3),
ADD COLUMN     "trashed_from" UUID,
ALTER COLUMN "user_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "media_items" ADD COLUMN     "trashed_at" TIMESTAMPTZ(3),
ADD COLUMN     "trashed_from" UUID,
ALTER COLUMN "user_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "media_parts" ALTER COLUMN "user_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "moment_embeddings" ALTER COLUMN "user_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "moments" ALTER COLUMN "user_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "part_embeddings" ALTER COLUMN "user_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "trashed_at" TIMESTAMPTZ(3),
ADD COLUMN     "was_active" BOOLEAN NOT NULL DEFAULT true;

-- AddForeignKey
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_trashed_from_fkey" FOREIGN KEY ("trashed_from") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "media_items" ADD CONSTRAINT "media_items_trashed_from_fkey" FOREIGN KEY ("trashed_from") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma cannot say: a row is a person's or in somebody's trash, and the trash is short.
ALTER TABLE "media_items" ADD CONSTRAINT "media_items_trash_check"
  CHECK (num_nonnulls("user_id", "trashed_from") = 1 AND num_nonnulls("trashed_from", "trashed_at") <> 1);
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_trash_check"
  CHECK (num_nonnulls("user_id", "trashed_from") = 1 AND num_nonnulls("trashed_from", "trashed_at") <> 1);
ALTER TABLE "users" ADD CONSTRAINT "users_trash_check" CHECK ("trashed_at" IS NULL OR NOT "is_active");
CREATE INDEX "media_items_trash_idx" ON "media_items" ("trashed_from", "trashed_at") WHERE "trashed_from" IS NOT NULL;
CREATE INDEX "chat_sessions_trash_idx" ON "chat_sessions" ("trashed_from", "trashed_at") WHERE "trashed_from" IS NOT NULL;
-- The same bytes are one item of a person, in the trash or not: who adds them again gets them back.
CREATE UNIQUE INDEX "media_items_trash_sha256_key" ON "media_items" (coalesce("user_id", "trashed_from"), "sha256");

-- What repeats whose an item is follows it into the trash and back, so that no search needs another condition.
CREATE FUNCTION "follow_item"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE media_parts SET user_id = NEW.user_id WHERE media_item_id = NEW.id;
  UPDATE part_embeddings SET user_id = NEW.user_id
    WHERE part_id IN (SELECT id FROM media_parts WHERE media_item_id = NEW.id);
  UPDATE moments SET user_id = NEW.user_id WHERE media_item_id = NEW.id;
  UPDATE moment_embeddings SET user_id = NEW.user_id
    WHERE moment_id IN (SELECT id FROM moments WHERE media_item_id = NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER "media_items_followed" AFTER UPDATE OF "user_id" ON "media_items" FOR EACH ROW
  WHEN (OLD."user_id" IS DISTINCT FROM NEW."user_id") EXECUTE FUNCTION "follow_item"();

CREATE FUNCTION "follow_session"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE chat_session_figures SET user_id = NEW.user_id WHERE session_id = NEW.id;
  UPDATE agent_runs SET user_id = NEW.user_id WHERE session_id = NEW.id;
  UPDATE person_counts SET count = count - 1 WHERE user_id = OLD.user_id AND subject = 'conversation';
  INSERT INTO person_counts AS kept (user_id, subject, count) SELECT NEW.user_id, 'conversation', 1 WHERE NEW.user_id IS NOT NULL
    ON CONFLICT (user_id, subject) DO UPDATE SET count = kept.count + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER "chat_sessions_followed" AFTER UPDATE OF "user_id" ON "chat_sessions" FOR EACH ROW
  WHEN (OLD."user_id" IS DISTINCT FROM NEW."user_id") EXECUTE FUNCTION "follow_session"();

-- Nobody's items and figures are counted.
CREATE OR REPLACE FUNCTION "count_changed_item"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM person_counts kept WHERE (kept.user_id, kept.subject) IN ((OLD.user_id, OLD.media_type), (NEW.user_id, NEW.media_type))
    ORDER BY kept.user_id, kept.subject FOR UPDATE;
  UPDATE person_counts SET count = count - 1, bytes = bytes - OLD.size_bytes
    WHERE user_id = OLD.user_id AND subject = OLD.media_type;
  INSERT INTO person_counts AS kept (user_id, subject, count, bytes)
    SELECT NEW.user_id, NEW.media_type, 1, NEW.size_bytes WHERE NEW.user_id IS NOT NULL
    ON CONFLICT (user_id, subject) DO UPDATE SET count = kept.count + 1, bytes = kept.bytes + excluded.bytes;
  RETURN NULL;
END $$;

CREATE FUNCTION "figure_person_moved"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE chat_person_figures SET timed_answers = timed_answers - OLD.timed_answers,
      response_ms = response_ms - OLD.response_ms, agent_calls = agent_calls - OLD.agent_calls
    WHERE user_id = OLD.user_id;
  INSERT INTO chat_person_figures AS kept (user_id, timed_answers, response_ms, agent_calls)
    SELECT NEW.user_id, NEW.timed_answers, NEW.response_ms, NEW.agent_calls WHERE NEW.user_id IS NOT NULL
    ON CONFLICT (user_id) DO UPDATE SET timed_answers = kept.timed_answers + excluded.timed_answers,
      response_ms = kept.response_ms + excluded.response_ms, agent_calls = kept.agent_calls + excluded.agent_calls;
  RETURN NULL;
END $$;
DROP TRIGGER "chat_session_figures_person_added" ON "chat_session_figures";
DROP TRIGGER "chat_session_figures_person_changed" ON "chat_session_figures";
CREATE TRIGGER "chat_session_figures_person_added" AFTER INSERT ON "chat_session_figures" FOR EACH ROW
  WHEN (NEW.user_id IS NOT NULL AND (NEW.timed_answers, NEW.agent_calls) <> (0, 0)) EXECUTE FUNCTION "figure_person"();
CREATE TRIGGER "chat_session_figures_person_changed" AFTER UPDATE ON "chat_session_figures" FOR EACH ROW
  WHEN (OLD.user_id = NEW.user_id
    AND (OLD.timed_answers, OLD.response_ms, OLD.agent_calls) <> (NEW.timed_answers, NEW.response_ms, NEW.agent_calls))
  EXECUTE FUNCTION "figure_person"();
CREATE TRIGGER "chat_session_figures_person_moved" AFTER UPDATE OF "user_id" ON "chat_session_figures" FOR EACH ROW
  WHEN (OLD.user_id IS DISTINCT FROM NEW.user_id) EXECUTE FUNCTION "figure_person_moved"();
-- migration 20261128121000_import_attempts
-- AlterTable
ALTER TABLE "imports" ADD COLUMN     "attempts" INTEGER NOT NULL DEFAULT 0;
-- migration 20261128121500_foreign_messages
-- Messages that were taken over from another program or person count as text of others. An answer made here has an engine,
-- and a question asked here has such an answer.
UPDATE chat_messages SET read_outside = true WHERE role = 'assistant' AND engine IS NULL AND NOT read_outside;
UPDATE chat_messages q SET read_outside = true
WHERE q.role = 'user' AND NOT EXISTS (
  SELECT FROM chat_messages a WHERE a.parent_id = q.id AND a.role = 'assistant' AND a.engine IS NOT NULL
);
-- migration 20261128122000_invitations_of_their_makers
-- AlterTable
ALTER TABLE "invitations" ADD COLUMN     "user_id" UUID;

-- An invitation is its maker's: it ends with their access. What is open and whose maker can't be told any more is revoked.
UPDATE "invitations" SET "user_id" = "users"."id" FROM "users" WHERE lower("users"."username") = lower("invitations"."invited_by");
UPDATE "invitations" SET "revoked_at" = now() WHERE "user_id" IS NULL AND "accepted_at" IS NULL AND "revoked_at" IS NULL;

-- CreateIndex
CREATE INDEX "invitations_user_id_idx" ON "invitations"("user_id");

-- AddForeignKey
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

CREATE TRIGGER "invitations_notify" AFTER INSERT ON "invitations" FOR EACH ROW EXECUTE FUNCTION "notify_of_new_access"('invitation', 'email');

-- Administrators (the first 100) are notified of another one, and of a link that makes one: whatever code adds the row.
-- Arguments: the kind of notification, and the column that names the new administrator.
CREATE FUNCTION "notify_of_new_admin"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  "added" JSONB := to_jsonb(NEW);
  "admin_ids" UUID[];
BEGIN
  SELECT array_agg("id") INTO "admin_ids" FROM (
    SELECT "id" FROM "users" WHERE "role" = 'admin' AND "is_active" AND "id" <> ("added" ->> 'id')::uuid
    ORDER BY "created_at" LIMIT 100
  ) "admins";
  INSERT INTO "notifications" ("id", "user_id", "kind", "params", "link")
  SELECT gen_random_uuid(), "admin_id", TG_ARGV[0], jsonb_build_object('title', left("added" ->> TG_ARGV[1], 200)), '/admin?tab=users'
  FROM unnest("admin_ids") AS "admin_id";
  PERFORM pg_notify('mira_user_events',
    json_build_object('origin', 'database', 'user_id', "admin_id", 'event', json_build_object('type', 'notifications.read'))::text)
  FROM unnest("admin_ids") AS "admin_id";
  RETURN NULL;
END $$;

CREATE TRIGGER "users_notify_admins" AFTER INSERT ON "users" FOR EACH ROW WHEN (NEW."role" = 'admin') EXECUTE FUNCTION "notify_of_new_admin"('admin_added', 'username');
CREATE TRIGGER "users_notify_admins_of_promotion" AFTER UPDATE OF "role" ON "users" FOR EACH ROW WHEN (NEW."role" = 'admin' AND OLD."role" <> 'admin') EXECUTE FUNCTION "notify_of_new_admin"('admin_added', 'username');
CREATE TRIGGER "invitations_notify_admins" AFTER INSERT ON "invitations" FOR EACH ROW WHEN (NEW."role" = 'admin') EXECUTE FUNCTION "notify_of_new_admin"('admin_invited', 'email');
-- migration 20261128160000_conversations_of_tokens
-- AlterTable
ALTER TABLE "chat_sessions" ADD COLUMN     "chat_token_id" UUID;
-- migration 20261128170000_access_that_moves
-- Browsers share their names, and anybody can send one: a sign-in is known by its address as well, and one is no first one
-- because everything else was signed out.
CREATE OR REPLACE FUNCTION "notify_of_new_access"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  "added" JSONB := to_jsonb(NEW);
  "owner_id" UUID := ("added" ->> 'user_id')::uuid;
  "title" TEXT := coalesce("added" ->> TG_ARGV[1], '');
BEGIN
  -- what administrators connect for everybody is in the audit log
  IF "owner_id" IS NULL THEN RETURN NULL; END IF;
  IF TG_ARGV[0] = 'session' AND (
    EXISTS (SELECT FROM "auth_sessions" WHERE "user_id" = "owner_id" AND "id" <> ("added" ->> 'id')::uuid
      AND "user_agent" = "added" ->> 'user_agent' AND "address" = "added" ->> 'address')
    OR EXISTS (SELECT FROM "users" WHERE "id" = "owner_id" AND "last_active_at" IS NULL AND NOT EXISTS (
      SELECT FROM "auth_sessions" WHERE "user_id" = "owner_id" AND "id" <> ("added" ->> 'id')::uuid))
  ) THEN
    -- a browser that is signed in already from there, or the account's first sign-in
    RETURN NULL;
  END IF;
  IF TG_ARGV[0] = 'share' AND EXISTS (SELECT FROM "notifications" WHERE "user_id" = "owner_id" AND "kind" = 'access_added'
    AND "params" ->> 'access' = 'share' AND "read_at" IS NULL) THEN
    -- links are made often: one unread notification points to the list of all
    RETURN NULL;
  END IF;
  IF TG_ARGV[0] = 'program' THEN
    SELECT "name" INTO "title" FROM "oauth_clients" WHERE "id" = ("added" ->> 'client_id')::uuid;
  END IF;
  IF TG_ARGV[0] = 'push' OR coalesce("title", '') = '' THEN
    "title" := replace(TG_ARGV[0], '_', ' ');
  END IF;
  INSERT INTO "notifications" ("id", "user_id", "kind", "params", "link")
  VALUES (gen_random_uuid(), "owner_id", 'access_added',
    jsonb_build_object('access', TG_ARGV[0], 'title', left(coalesce("title", ''), 200)), '/dashboard?tab=settings#access');
  -- open pages read what is behind the bell again
  PERFORM pg_notify('mira_user_events',
    json_build_object('origin', 'database', 'user_id', "owner_id", 'event', json_build_object('type', 'notifications.read'))::text);
  RETURN NULL;
END $$;

-- Another address of a server is another receiver.
CREATE TRIGGER "mcp_servers_notify_moved" AFTER UPDATE OF "url" ON "mcp_servers" FOR EACH ROW
WHEN (NEW."url" IS DISTINCT FROM OLD."url") EXECUTE FUNCTION "notify_of_new_access"('mcp_server', 'name');
-- migration 20261128193000_failures_without_codes
-- Earlier versions stored some failures as text alone, which may name servers and settings. As a code with the text for administrators,
-- they are worded for each reader like all others.
CREATE FUNCTION pg_temp.from_before("said" TEXT) RETURNS JSONB LANGUAGE sql AS $$
  SELECT jsonb_build_array(jsonb_build_object('code', 'from_before', 'params', jsonb_build_object('said', said)))
$$;

-- The sentences of these two codes name nothing, now as then.
UPDATE "chat_messages" SET "error_told" = pg_temp.from_before("error")
WHERE "error" <> '' AND "error_told" = '[]' AND "error_code" NOT IN ('answer_too_long', 'internal_error');

UPDATE "chat_messages" SET "agent_calls" = (
  SELECT jsonb_agg(
    CASE WHEN call->>'state' = 'failed' AND call->>'summary' <> ''
      THEN call || jsonb_build_object('summary_told', pg_temp.from_before(call->>'summary')) ELSE call END
    ORDER BY place)
  FROM jsonb_array_elements("agent_calls") WITH ORDINALITY AS calls (call, place))
WHERE "agent_calls" @> '[{"state": "failed"}]';

UPDATE "media_items" SET "error_told" = pg_temp.from_before("error") WHERE "error" <> '' AND "error_told" = '[]';

UPDATE "media_steps" SET "error_told" = pg_temp.from_before("error") WHERE "error" <> '' AND "error_told" = '[]';

UPDATE "notifications" SET "params" = "params" || jsonb_build_object('told', pg_temp.from_before("params"->>'reason'))
WHERE "params"->>'reason' <> '' AND NOT "params" ? 'told';

UPDATE "hook_notices" SET "data" = "data" || jsonb_build_object('error_told', pg_temp.from_before("data"->>'error'))
WHERE "data"->>'error' <> '' AND NOT "data" ? 'error_told';

-- Events of answers that ended are made again from their messages.
DELETE FROM "chat_answers" WHERE "finished_at" IS NOT NULL;

-- Hooks send words for users; the codes from which they are made stay here.
CREATE OR REPLACE FUNCTION "note_processed_item"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "note_for_hooks"(
    NEW."user_id",
    CASE NEW."processing_status" WHEN 'failed' THEN 'media.failed' ELSE 'media.done' END,
    jsonb_build_object('id', NEW."id", 'title', NEW."original_filename", 'media_type', NEW."media_type")
      || CASE NEW."processing_status"
        WHEN 'failed' THEN jsonb_build_object('error', coalesce(NEW."error", ''), 'error_told', NEW."error_told")
        ELSE '{}' END);
  RETURN NULL;
END $$;
-- migration 20261128211000_codes_of_sessions
-- A code that a program was not given tokens for ends with the session that agreed to it.
ALTER TABLE "oauth_grants" ADD COLUMN "code_session_id" UUID;

CREATE INDEX "oauth_grants_code_session_id_idx" ON "oauth_grants"("code_session_id");

ALTER TABLE "oauth_grants" ADD CONSTRAINT "oauth_grants_code_session_id_fkey" FOREIGN KEY ("code_session_id") REFERENCES "auth_sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;
-- migration 20261128212000_access_that_is_on_again
-- A server that is turned on again, as after a restore, is another receiver as much as one that is added. One that moves as well is
-- notified of by the trigger for that.
CREATE TRIGGER "mcp_servers_notify_enabled" AFTER UPDATE OF "is_enabled" ON "mcp_servers" FOR EACH ROW
WHEN (NEW."is_enabled" AND NOT OLD."is_enabled" AND NEW."url" = OLD."url") EXECUTE FUNCTION "notify_of_new_access"('mcp_server', 'name');
-- repairs
-- For databases that applied one of the texts above as it landed, before it was edited. Each statement may be repeated.
CREATE OR REPLACE FUNCTION "count_removed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- in the order in which whatever adds locks them, so that neither waits for the other for ever
  PERFORM FROM person_counts kept WHERE kept.user_id IN (SELECT user_id FROM removed) ORDER BY kept.user_id, kept.subject FOR UPDATE;
  IF TG_TABLE_NAME = 'media_items' THEN
    UPDATE person_counts kept SET count = kept.count - gone.count, bytes = kept.bytes - gone.bytes
      FROM (SELECT user_id, media_type, count(*), sum(size_bytes) AS bytes FROM removed GROUP BY 1, 2) gone
      WHERE kept.user_id = gone.user_id AND kept.subject = gone.media_type;
  ELSE
    UPDATE person_counts kept SET count = kept.count - gone.count
      FROM (SELECT user_id, count(*) FROM removed GROUP BY 1) gone
      WHERE kept.user_id = gone.user_id AND kept.subject = 'conversation';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "notify_of_new_admin"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  "added" JSONB := to_jsonb(NEW);
  "admin_ids" UUID[];
BEGIN
  SELECT array_agg("id") INTO "admin_ids" FROM (
    SELECT "id" FROM "users" WHERE "role" = 'admin' AND "is_active" AND "id" <> ("added" ->> 'id')::uuid
    ORDER BY "created_at" LIMIT 100
  ) "admins";
  INSERT INTO "notifications" ("id", "user_id", "kind", "params", "link")
  SELECT gen_random_uuid(), "admin_id", TG_ARGV[0], jsonb_build_object('title', left("added" ->> TG_ARGV[1], 200)), '/admin?tab=users'
  FROM unnest("admin_ids") AS "admin_id";
  PERFORM pg_notify('mira_user_events',
    json_build_object('origin', 'database', 'user_id', "admin_id", 'event', json_build_object('type', 'notifications.read'))::text)
  FROM unnest("admin_ids") AS "admin_id";
  RETURN NULL;
END $$;

DROP TRIGGER "mcp_servers_notify_enabled" ON "mcp_servers";
CREATE TRIGGER "mcp_servers_notify_enabled" AFTER UPDATE OF "is_enabled" ON "mcp_servers" FOR EACH ROW
WHEN (NEW."is_enabled" AND NOT OLD."is_enabled" AND NEW."url" = OLD."url") EXECUTE FUNCTION "notify_of_new_access"('mcp_server', 'name');

UPDATE "hook_notices" SET "data" = "data" || jsonb_build_object('error_told',
  jsonb_build_array(jsonb_build_object('code', 'from_before', 'params', jsonb_build_object('said', "data"->>'error'))))
WHERE "data"->>'error' <> '' AND NOT "data" ? 'error_told';
