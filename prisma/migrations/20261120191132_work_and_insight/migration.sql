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
