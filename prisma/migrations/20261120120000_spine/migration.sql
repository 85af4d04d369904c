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
