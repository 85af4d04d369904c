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
