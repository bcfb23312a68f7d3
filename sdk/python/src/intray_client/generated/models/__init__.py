"""Contains all the data models used in inputs/outputs"""

from .alphabetical_validator import AlphabeticalValidator
from .alphabetical_validator_level import AlphabeticalValidatorLevel
from .alphabetical_validator_validate import AlphabeticalValidatorValidate
from .answers_request import AnswersRequest
from .answers_request_answers import AnswersRequestAnswers
from .cell_column import CellColumn
from .cell_lineage import CellLineage
from .cell_problem import CellProblem
from .cell_problem_params import CellProblemParams
from .cell_step import CellStep
from .cell_step_step import CellStepStep
from .column_hook import ColumnHook
from .country_type_options import CountryTypeOptions
from .country_type_options_format import CountryTypeOptionsFormat
from .date_type_options import DateTypeOptions
from .datetime_type_options import DatetimeTypeOptions
from .deleted_part import DeletedPart
from .deleted_part_name import DeletedPartName
from .deleted_session import DeletedSession
from .domain_type_options import DomainTypeOptions
from .error import Error
from .error_field_messages import ErrorFieldMessages
from .error_params import ErrorParams
from .event_import import EventImport
from .event_name import EventName
from .event_user import EventUser
from .field import Field
from .field_extensions import FieldExtensions
from .field_extensions_descriptions import FieldExtensionsDescriptions
from .field_extensions_labels import FieldExtensionsLabels
from .field_source import FieldSource
from .field_type_name import FieldTypeName
from .file_evidence import FileEvidence
from .file_evidence_reason_params import FileEvidenceReasonParams
from .forwarded_request import ForwardedRequest
from .get_import_result_format import GetImportResultFormat
from .get_upload_result_format import GetUploadResultFormat
from .headless_import_failed_message import HeadlessImportFailedMessage
from .headless_import_failed_message_event import HeadlessImportFailedMessageEvent
from .headless_import_needs_review_message import HeadlessImportNeedsReviewMessage
from .headless_import_needs_review_message_event import (
    HeadlessImportNeedsReviewMessageEvent,
)
from .hooks import Hooks
from .import_ import Import
from .import_completed_message import ImportCompletedMessage
from .import_completed_message_event import ImportCompletedMessageEvent
from .import_draft import ImportDraft
from .import_draft_initial_data_type_0_item import ImportDraftInitialDataType0Item
from .import_event import ImportEvent
from .import_event_import_type import ImportEventImportType
from .import_link import ImportLink
from .import_link_draft import ImportLinkDraft
from .import_link_page import ImportLinkPage
from .import_link_status import ImportLinkStatus
from .import_list_item import ImportListItem
from .import_metadata import ImportMetadata
from .import_metadata_draft import ImportMetadataDraft
from .import_page import ImportPage
from .import_status import ImportStatus
from .learned_mapping import LearnedMapping
from .learned_mapping_kind import LearnedMappingKind
from .learned_mapping_page import LearnedMappingPage
from .length_validator import LengthValidator
from .length_validator_level import LengthValidatorLevel
from .length_validator_validate import LengthValidatorValidate
from .level import Level
from .lexicon import Lexicon
from .lexicon_column import LexiconColumn
from .lexicon_column_draft import LexiconColumnDraft
from .lexicon_draft import LexiconDraft
from .lexicon_value import LexiconValue
from .lexicon_value_draft import LexiconValueDraft
from .lineage import Lineage
from .message import Message
from .message_params import MessageParams
from .multi_select_type_options import MultiSelectTypeOptions
from .no_type_options import NoTypeOptions
from .notice import Notice
from .notice_params import NoticeParams
from .notice_type import NoticeType
from .number_format import NumberFormat
from .number_format_abbreviations import NumberFormatAbbreviations
from .number_format_base import NumberFormatBase
from .number_format_currency_position import NumberFormatCurrencyPosition
from .number_format_force_average import NumberFormatForceAverage
from .number_format_negative import NumberFormatNegative
from .number_format_output import NumberFormatOutput
from .number_preset import NumberPreset
from .number_type_options import NumberTypeOptions
from .phone_type_options import PhoneTypeOptions
from .phone_type_options_format import PhoneTypeOptionsFormat
from .presigned_url import PresignedURL
from .question import Question
from .question_choice import QuestionChoice
from .question_choice_label_params import QuestionChoiceLabelParams
from .question_choice_reason_params import QuestionChoiceReasonParams
from .question_params import QuestionParams
from .questions import Questions
from .questions_answers import QuestionsAnswers
from .raw_upload import RawUpload
from .reading import Reading
from .receipt import Receipt
from .receipt_page import ReceiptPage
from .receipt_reason import ReceiptReason
from .redeliver_request import RedeliverRequest
from .redelivered import Redelivered
from .regex_exclude_validator import RegexExcludeValidator
from .regex_exclude_validator_level import RegexExcludeValidatorLevel
from .regex_exclude_validator_validate import RegexExcludeValidatorValidate
from .regex_match_validator import RegexMatchValidator
from .regex_match_validator_level import RegexMatchValidatorLevel
from .regex_match_validator_validate import RegexMatchValidatorValidate
from .regex_options import RegexOptions
from .rehydration import Rehydration
from .rehydration_hooks import RehydrationHooks
from .rehydration_rehydrate_state import RehydrationRehydrateState
from .rehydration_settings import RehydrationSettings
from .require_with_all_validator import RequireWithAllValidator
from .require_with_all_validator_level import RequireWithAllValidatorLevel
from .require_with_all_validator_validate import RequireWithAllValidatorValidate
from .require_with_all_values_validator import RequireWithAllValuesValidator
from .require_with_all_values_validator_field_values import (
    RequireWithAllValuesValidatorFieldValues,
)
from .require_with_all_values_validator_level import RequireWithAllValuesValidatorLevel
from .require_with_all_values_validator_validate import (
    RequireWithAllValuesValidatorValidate,
)
from .require_with_validator import RequireWithValidator
from .require_with_validator_level import RequireWithValidatorLevel
from .require_with_validator_validate import RequireWithValidatorValidate
from .require_with_values_validator import RequireWithValuesValidator
from .require_with_values_validator_field_values import (
    RequireWithValuesValidatorFieldValues,
)
from .require_with_values_validator_level import RequireWithValuesValidatorLevel
from .require_with_values_validator_validate import RequireWithValuesValidatorValidate
from .require_without_all_validator import RequireWithoutAllValidator
from .require_without_all_validator_level import RequireWithoutAllValidatorLevel
from .require_without_all_validator_validate import RequireWithoutAllValidatorValidate
from .require_without_all_values_validator import RequireWithoutAllValuesValidator
from .require_without_all_values_validator_field_values import (
    RequireWithoutAllValuesValidatorFieldValues,
)
from .require_without_all_values_validator_level import (
    RequireWithoutAllValuesValidatorLevel,
)
from .require_without_all_values_validator_validate import (
    RequireWithoutAllValuesValidatorValidate,
)
from .require_without_validator import RequireWithoutValidator
from .require_without_validator_level import RequireWithoutValidatorLevel
from .require_without_validator_validate import RequireWithoutValidatorValidate
from .require_without_values_validator import RequireWithoutValuesValidator
from .require_without_values_validator_field_values import (
    RequireWithoutValuesValidatorFieldValues,
)
from .require_without_values_validator_level import RequireWithoutValuesValidatorLevel
from .require_without_values_validator_validate import (
    RequireWithoutValuesValidatorValidate,
)
from .required_validator import RequiredValidator
from .required_validator_level import RequiredValidatorLevel
from .required_validator_validate import RequiredValidatorValidate
from .result_metadata import ResultMetadata
from .result_metadata_fields import ResultMetadataFields
from .result_metadata_source import ResultMetadataSource
from .retention import Retention
from .review_link import ReviewLink
from .schema import Schema
from .schema_draft import SchemaDraft
from .schema_extensions import SchemaExtensions
from .schema_extensions_fields import SchemaExtensionsFields
from .schema_retention import SchemaRetention
from .select_option import SelectOption
from .select_type_options import SelectTypeOptions
from .session import Session
from .session_draft import SessionDraft
from .session_token import SessionToken
from .settings import Settings
from .settings_backend_sync_mode import SettingsBackendSyncMode
from .settings_initial_data_type_0_item_type_0 import SettingsInitialDataType0ItemType0
from .settings_invalid_data_behavior import SettingsInvalidDataBehavior
from .settings_style_overrides import SettingsStyleOverrides
from .sftp_connection_test import SftpConnectionTest
from .sftp_connection_test_error_params import SftpConnectionTestErrorParams
from .sftp_connector import SftpConnector
from .sftp_connector_draft import SftpConnectorDraft
from .sftp_connector_failed_event import SftpConnectorFailedEvent
from .sftp_connector_failed_event_error_params import (
    SftpConnectorFailedEventErrorParams,
)
from .sftp_connector_failed_message import SftpConnectorFailedMessage
from .sftp_connector_failed_message_event import SftpConnectorFailedMessageEvent
from .sftp_connector_page import SftpConnectorPage
from .sftp_connector_run import SftpConnectorRun
from .sftp_connector_run_error_params import SftpConnectorRunErrorParams
from .sftp_connector_run_page import SftpConnectorRunPage
from .sftp_credential import SftpCredential
from .sftp_credential_auth_type import SftpCredentialAuthType
from .sftp_credential_draft import SftpCredentialDraft
from .sftp_credential_draft_auth_type import SftpCredentialDraftAuthType
from .sftp_credential_page import SftpCredentialPage
from .sftp_deliver_to import SftpDeliverTo
from .sftp_deliver_to_draft import SftpDeliverToDraft
from .sftp_deliver_to_draft_format import SftpDeliverToDraftFormat
from .sftp_delivery_failed_event import SftpDeliveryFailedEvent
from .sftp_delivery_failed_event_error_params import SftpDeliveryFailedEventErrorParams
from .sftp_delivery_failed_event_status import SftpDeliveryFailedEventStatus
from .sftp_delivery_failed_message import SftpDeliveryFailedMessage
from .sftp_delivery_failed_message_event import SftpDeliveryFailedMessageEvent
from .sftp_result_delivery import SftpResultDelivery
from .sftp_result_delivery_error_params import SftpResultDeliveryErrorParams
from .sftp_result_delivery_page import SftpResultDeliveryPage
from .sftp_result_delivery_status import SftpResultDeliveryStatus
from .sftp_schedule import SftpSchedule
from .sftp_schedule_draft import SftpScheduleDraft
from .sftp_schedule_draft_type import SftpScheduleDraftType
from .sftp_schedule_type import SftpScheduleType
from .signing_secret import SigningSecret
from .ssn_type_options import SSNTypeOptions
from .step_hook import StepHook
from .step_hook_type import StepHookType
from .time_type_options import TimeTypeOptions
from .token_request import TokenRequest
from .unique_case_insensitive_validator import UniqueCaseInsensitiveValidator
from .unique_case_insensitive_validator_level import UniqueCaseInsensitiveValidatorLevel
from .unique_case_insensitive_validator_validate import (
    UniqueCaseInsensitiveValidatorValidate,
)
from .unique_validator import UniqueValidator
from .unique_validator_level import UniqueValidatorLevel
from .unique_validator_validate import UniqueValidatorValidate
from .unique_with_validator import UniqueWithValidator
from .unique_with_validator_level import UniqueWithValidatorLevel
from .unique_with_validator_validate import UniqueWithValidatorValidate
from .upload import Upload
from .upload_page import UploadPage
from .upload_upload_status import UploadUploadStatus
from .uploads import Uploads
from .url_type_options import URLTypeOptions
from .user import User
from .user_draft import UserDraft
from .uuid_type_options import UUIDTypeOptions
from .webhook import Webhook
from .webhook_attempt import WebhookAttempt
from .webhook_attempt_params import WebhookAttemptParams
from .webhook_attempt_response_headers import WebhookAttemptResponseHeaders
from .webhook_delivery import WebhookDelivery
from .webhook_delivery_page import WebhookDeliveryPage
from .webhook_delivery_status import WebhookDeliveryStatus
from .webhook_disabled_event import WebhookDisabledEvent
from .webhook_disabled_event_last_failure_params import (
    WebhookDisabledEventLastFailureParams,
)
from .webhook_disabled_message import WebhookDisabledMessage
from .webhook_disabled_message_event import WebhookDisabledMessageEvent
from .webhook_draft import WebhookDraft
from .zip_type_options import ZipTypeOptions
from .zip_type_options_format import ZipTypeOptionsFormat

__all__ = (
    "AlphabeticalValidator",
    "AlphabeticalValidatorLevel",
    "AlphabeticalValidatorValidate",
    "AnswersRequest",
    "AnswersRequestAnswers",
    "CellColumn",
    "CellLineage",
    "CellProblem",
    "CellProblemParams",
    "CellStep",
    "CellStepStep",
    "ColumnHook",
    "CountryTypeOptions",
    "CountryTypeOptionsFormat",
    "DateTypeOptions",
    "DatetimeTypeOptions",
    "DeletedPart",
    "DeletedPartName",
    "DeletedSession",
    "DomainTypeOptions",
    "Error",
    "ErrorFieldMessages",
    "ErrorParams",
    "EventImport",
    "EventName",
    "EventUser",
    "Field",
    "FieldExtensions",
    "FieldExtensionsDescriptions",
    "FieldExtensionsLabels",
    "FieldSource",
    "FieldTypeName",
    "FileEvidence",
    "FileEvidenceReasonParams",
    "ForwardedRequest",
    "GetImportResultFormat",
    "GetUploadResultFormat",
    "HeadlessImportFailedMessage",
    "HeadlessImportFailedMessageEvent",
    "HeadlessImportNeedsReviewMessage",
    "HeadlessImportNeedsReviewMessageEvent",
    "Hooks",
    "Import",
    "ImportCompletedMessage",
    "ImportCompletedMessageEvent",
    "ImportDraft",
    "ImportDraftInitialDataType0Item",
    "ImportEvent",
    "ImportEventImportType",
    "ImportLink",
    "ImportLinkDraft",
    "ImportLinkPage",
    "ImportLinkStatus",
    "ImportListItem",
    "ImportMetadata",
    "ImportMetadataDraft",
    "ImportPage",
    "ImportStatus",
    "LearnedMapping",
    "LearnedMappingKind",
    "LearnedMappingPage",
    "LengthValidator",
    "LengthValidatorLevel",
    "LengthValidatorValidate",
    "Level",
    "Lexicon",
    "LexiconColumn",
    "LexiconColumnDraft",
    "LexiconDraft",
    "LexiconValue",
    "LexiconValueDraft",
    "Lineage",
    "Message",
    "MessageParams",
    "MultiSelectTypeOptions",
    "NoTypeOptions",
    "Notice",
    "NoticeParams",
    "NoticeType",
    "NumberFormat",
    "NumberFormatAbbreviations",
    "NumberFormatBase",
    "NumberFormatCurrencyPosition",
    "NumberFormatForceAverage",
    "NumberFormatNegative",
    "NumberFormatOutput",
    "NumberPreset",
    "NumberTypeOptions",
    "PhoneTypeOptions",
    "PhoneTypeOptionsFormat",
    "PresignedURL",
    "Question",
    "QuestionChoice",
    "QuestionChoiceLabelParams",
    "QuestionChoiceReasonParams",
    "QuestionParams",
    "Questions",
    "QuestionsAnswers",
    "RawUpload",
    "Reading",
    "Receipt",
    "ReceiptPage",
    "ReceiptReason",
    "RedeliverRequest",
    "Redelivered",
    "RegexExcludeValidator",
    "RegexExcludeValidatorLevel",
    "RegexExcludeValidatorValidate",
    "RegexMatchValidator",
    "RegexMatchValidatorLevel",
    "RegexMatchValidatorValidate",
    "RegexOptions",
    "Rehydration",
    "RehydrationHooks",
    "RehydrationRehydrateState",
    "RehydrationSettings",
    "RequireWithAllValidator",
    "RequireWithAllValidatorLevel",
    "RequireWithAllValidatorValidate",
    "RequireWithAllValuesValidator",
    "RequireWithAllValuesValidatorFieldValues",
    "RequireWithAllValuesValidatorLevel",
    "RequireWithAllValuesValidatorValidate",
    "RequireWithValidator",
    "RequireWithValidatorLevel",
    "RequireWithValidatorValidate",
    "RequireWithValuesValidator",
    "RequireWithValuesValidatorFieldValues",
    "RequireWithValuesValidatorLevel",
    "RequireWithValuesValidatorValidate",
    "RequireWithoutAllValidator",
    "RequireWithoutAllValidatorLevel",
    "RequireWithoutAllValidatorValidate",
    "RequireWithoutAllValuesValidator",
    "RequireWithoutAllValuesValidatorFieldValues",
    "RequireWithoutAllValuesValidatorLevel",
    "RequireWithoutAllValuesValidatorValidate",
    "RequireWithoutValidator",
    "RequireWithoutValidatorLevel",
    "RequireWithoutValidatorValidate",
    "RequireWithoutValuesValidator",
    "RequireWithoutValuesValidatorFieldValues",
    "RequireWithoutValuesValidatorLevel",
    "RequireWithoutValuesValidatorValidate",
    "RequiredValidator",
    "RequiredValidatorLevel",
    "RequiredValidatorValidate",
    "ResultMetadata",
    "ResultMetadataFields",
    "ResultMetadataSource",
    "Retention",
    "ReviewLink",
    "SSNTypeOptions",
    "Schema",
    "SchemaDraft",
    "SchemaExtensions",
    "SchemaExtensionsFields",
    "SchemaRetention",
    "SelectOption",
    "SelectTypeOptions",
    "Session",
    "SessionDraft",
    "SessionToken",
    "Settings",
    "SettingsBackendSyncMode",
    "SettingsInitialDataType0ItemType0",
    "SettingsInvalidDataBehavior",
    "SettingsStyleOverrides",
    "SftpConnectionTest",
    "SftpConnectionTestErrorParams",
    "SftpConnector",
    "SftpConnectorDraft",
    "SftpConnectorFailedEvent",
    "SftpConnectorFailedEventErrorParams",
    "SftpConnectorFailedMessage",
    "SftpConnectorFailedMessageEvent",
    "SftpConnectorPage",
    "SftpConnectorRun",
    "SftpConnectorRunErrorParams",
    "SftpConnectorRunPage",
    "SftpCredential",
    "SftpCredentialAuthType",
    "SftpCredentialDraft",
    "SftpCredentialDraftAuthType",
    "SftpCredentialPage",
    "SftpDeliverTo",
    "SftpDeliverToDraft",
    "SftpDeliverToDraftFormat",
    "SftpDeliveryFailedEvent",
    "SftpDeliveryFailedEventErrorParams",
    "SftpDeliveryFailedEventStatus",
    "SftpDeliveryFailedMessage",
    "SftpDeliveryFailedMessageEvent",
    "SftpResultDelivery",
    "SftpResultDeliveryErrorParams",
    "SftpResultDeliveryPage",
    "SftpResultDeliveryStatus",
    "SftpSchedule",
    "SftpScheduleDraft",
    "SftpScheduleDraftType",
    "SftpScheduleType",
    "SigningSecret",
    "StepHook",
    "StepHookType",
    "TimeTypeOptions",
    "TokenRequest",
    "URLTypeOptions",
    "UUIDTypeOptions",
    "UniqueCaseInsensitiveValidator",
    "UniqueCaseInsensitiveValidatorLevel",
    "UniqueCaseInsensitiveValidatorValidate",
    "UniqueValidator",
    "UniqueValidatorLevel",
    "UniqueValidatorValidate",
    "UniqueWithValidator",
    "UniqueWithValidatorLevel",
    "UniqueWithValidatorValidate",
    "Upload",
    "UploadPage",
    "UploadUploadStatus",
    "Uploads",
    "User",
    "UserDraft",
    "Webhook",
    "WebhookAttempt",
    "WebhookAttemptParams",
    "WebhookAttemptResponseHeaders",
    "WebhookDelivery",
    "WebhookDeliveryPage",
    "WebhookDeliveryStatus",
    "WebhookDisabledEvent",
    "WebhookDisabledEventLastFailureParams",
    "WebhookDisabledMessage",
    "WebhookDisabledMessageEvent",
    "WebhookDraft",
    "ZipTypeOptions",
    "ZipTypeOptionsFormat",
)
