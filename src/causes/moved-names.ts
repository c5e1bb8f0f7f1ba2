import type { PythonCall } from '../app/python/facts.ts';
import { once, onceFor } from '../kernel/once.ts';

/**
 * Modules and names with the versions of their package that have them, from its release notes. After a `:`, a keyword or a
 * text that a call takes; after a `!`, the one that it can do without, and how many values before it.
 */
const names = `
aioredis.create_redis_pool<2 anyio.start_blocking_portal<4 bcrypt.__about__<4.1 celery.decorators<5 celery.task<5
click._unicodefun<8.1 click.get_os_args<8.1 diffusers.FluxPipeline>=0.30 diffusers.StableDiffusion3Pipeline>=0.29
diffusers.StableVideoDiffusionPipeline>=0.24 django.conf.urls.url<4 django.contrib.postgres.fields.JSONField<4
django.core.urlresolvers<2 django.db.models.NullBooleanField<4 django.shortcuts.render_to_response<3
django.utils.encoding.force_text<4 django.utils.encoding.smart_text<4 django.utils.http.urlquote<4 django.utils.six<3
django.utils.timezone.utc<5 django.utils.translation.ugettext<4 django.utils.translation.ugettext_lazy<4
docker.Client<2 elasticsearch.RequestsHttpConnection<8 flask._app_ctx_stack<2.3 flask._compat<2
flask._request_ctx_stack<2.3 flask.escape<3 flask.ext<1 flask.Flask.before_first_request<2.3
flask.helpers.safe_join<2.1 flask.json.JSONDecoder<2.3 flask.json.JSONEncoder<2.3 flask.Markup<3 flask.safe_join<2.1
gensim.models.wrappers<4 gensim.summarization<4 google.protobuf.internal.builder>=3.20
google.protobuf.MessageFactory.GetPrototype<6 google.protobuf.MessageToDict.including_default_value_fields<5
google.protobuf.MessageToJson.including_default_value_fields<5 google.protobuf.runtime_version>=5.26 gradio.inputs<4
gradio.outputs<4 huggingface_hub.cached_download<0.26 huggingface_hub.HfFolder<1 huggingface_hub.Repository<1
huggingface_hub.split_torch_state_dict_into_shards>=0.22 huggingface_hub.utils._errors<0.25 itsdangerous.json<2.1
itsdangerous.JSONWebSignatureSerializer<2.1 itsdangerous.TimedJSONWebSignatureSerializer<2.1 jax.linear_util<0.4.24
jax.random.KeyArray<0.4.24 jinja2.contextfilter<3.1 jinja2.environmentfilter<3.1 jinja2.escape<3.1
jinja2.evalcontextfilter<3.1 jinja2.ext.autoescape<3.1 jinja2.Markup<3.1 langchain.callbacks<1 langchain.chains<1
langchain.chat_models<0.2 langchain.docstore<1 langchain.document_loaders<0.2 langchain.embeddings<0.2
langchain.llms<0.2 langchain.memory<1 langchain.prompts<1 langchain.retrievers<1 langchain.schema<1
langchain.text_splitter<1 langchain.vectorstores<0.2 langchain_core.pydantic_v1<1 llama_index.GPTVectorStoreIndex<0.10
llama_index.ServiceContext<0.10 llama_index.SimpleDirectoryReader<0.10 llama_index.VectorStoreIndex<0.10
markupsafe.soft_unicode<2.1 matplotlib.cm.get_cmap<3.9 ml_dtypes.float4_e2m1fn>=0.5 moviepy.editor<2
networkx.from_numpy_matrix<3 networkx.read_gpickle<3 networkx.to_numpy_matrix<3 networkx.write_gpickle<3
numpy.alltrue<2 numpy.asscalar<1.23 numpy.bool8<2 numpy.bool<1.24 numpy.cast<2 numpy.complex<1.24 numpy.complex_<2
numpy.cumproduct<2 numpy.exceptions>=1.25 numpy.float<1.24 numpy.float_<2 numpy.Inf<2 numpy.infty<2 numpy.int<1.24
numpy.long<1.24 numpy.msort<2 numpy.NaN<2 numpy.obj2sctype<2 numpy.object<1.24 numpy.product<2 numpy.round_<2
numpy.sctypes<2 numpy.sometrue<2 numpy.str<1.24 numpy.string_<2 numpy.typeDict<1.24 numpy.unicode_<2
openai.AsyncOpenAI>=1 openai.Audio<1 openai.ChatCompletion<1 openai.Completion<1 openai.Embedding<1
openai.embeddings_utils<1 openai.error<1 openai.Image<1 openai.Model<1 openai.Moderation<1 openai.OpenAI>=1
openai.RateLimitError>=1 packaging.licenses>=24.2 packaging.specifiers.LegacySpecifier<22
packaging.version.LegacyVersion<22 pandas.core.indexes.numeric<2 pandas.DataFrame.append<2 pandas.DataFrame.as_matrix<1
pandas.DataFrame.iteritems<2 pandas.DataFrame.ix<1 pandas.datetime<2 pandas.Float64Index<2 pandas.Int64Index<2
pandas.np<2 pandas.Panel<1 pandas.Series.append<2 pandas.Series.iteritems<2 pandas.util.testing<2
peft.prepare_model_for_int8_training<0.10 PIL.FreeTypeFont.getsize<10 PIL.Image.ANTIALIAS<10 PIL.Image.CUBIC<10
PIL.Image.LINEAR<10 PIL.Image.Resampling>=9.1 PIL.ImageDraw.textsize<10 PIL.PILLOW_VERSION<7 pinecone.init<3
pipecat.audio.interruptions<1 pipecat.frames.frames.BotInterruptionFrame<1 pipecat.frames.frames.LLMMessagesFrame<1
pipecat.frames.frames.StartInterruptionFrame<1 pipecat.processors.aggregators.openai_llm_context<1
pipecat.services.ai_services<1 pipecat.services.cartesia.CartesiaTTSService<1
pipecat.services.deepgram.DeepgramSTTService<1 pipecat.services.deepgram.DeepgramTTSService<1
pipecat.services.elevenlabs.ElevenLabsTTSService<1 pipecat.services.openai.OpenAILLMService<1
pipecat.transports.network<1 pipecat.transports.services<1 pipecat.vad<0.0.60 pkg_resources<82
pydantic.computed_field>=2 pydantic.ConfigDict>=2 pydantic.field_serializer>=2 pydantic.field_validator>=2
pydantic.fields.ModelField<2 pydantic.fields.Undefined<2 pydantic.main.ModelMetaclass<2 pydantic.model_validator>=2
pydantic.RootModel>=2 pydantic.TypeAdapter>=2 pydantic.utils.ROOT_KEY<2 pydantic_core>=2 pytorch_lightning.metrics<1.5
pytorch_lightning.utilities.distributed<2 scipy.integrate.cumtrapz<1.14 scipy.integrate.simps<1.14
scipy.integrate.trapz<1.14 scipy.linalg.tril<1.13 scipy.linalg.triu<1.13 scipy.misc.imread<1.2 scipy.misc.imresize<1.3
scipy.misc.imsave<1.2 scipy.signal.hann<1.13 setuptools.command.test<72 sklearn.cross_validation<0.20
sklearn.datasets.load_boston<1.2 sklearn.ensemble.forest<0.24 sklearn.externals<0.23 sklearn.grid_search<0.20
sklearn.linear_model.logistic<0.24 sklearn.metrics.jaccard_similarity_score<0.23 sklearn.neighbors.base<0.24
sklearn.preprocessing.data<0.24 sklearn.preprocessing.Imputer<0.22 sklearn.utils.linear_assignment_<0.23
sklearn.utils.testing<0.24 spacy.gold<3 sqlalchemy.Engine.execute<2 telegram.ext.Filters<20 telegram.ParseMode<20
tensorflow.app<2 tensorflow.ConfigProto<2 tensorflow.contrib<2 tensorflow.flags<2 tensorflow.get_default_graph<2
tensorflow.gfile<2 tensorflow.global_variables_initializer<2 tensorflow.GPUOptions<2 tensorflow.GraphKeys<2
tensorflow.keras.wrappers<2.12 tensorflow.layers<2 tensorflow.logging<2 tensorflow.placeholder<2
tensorflow.random_normal<2 tensorflow.reset_default_graph<2 tensorflow.Session<2 tensorflow.set_random_seed<2
tensorflow.train.AdamOptimizer<2 tensorflow.variable_scope<2 torch._six<2 torch.amp.GradScaler>=2.3 torch.compile>=2
torch.compiler>=2.1 torch.concat>=1.10 torch.distributed.tensor.parallel>=2 torch.float8_e4m3fn>=2.1
torch.frombuffer>=1.10 torch.inference_mode>=1.9 torch.library.custom_op>=2.4 torch.nn.attention>=2.3
torch.nn.functional.scaled_dot_product_attention>=2 torch.uint64>=2.3 torch.utils._pytree.register_pytree_node>=2.2
torchaudio.AudioMetaData<2.9 torchaudio.list_audio_backends<2.9 torchaudio.set_audio_backend<2.9
torchtext.data.Field<0.9 torchtext.legacy<0.12 torchvision.transforms.functional_tensor<0.17
starlette.applications.Starlette.add_event_handler<1 starlette.applications.Starlette.on_event<1
torch.optim.lr_scheduler.LRScheduler>=2 transformers.AdamW<4.49 transformers.AutoModelForVision2Seq<5
transformers.cache_utils.DynamicCache>=4.36 transformers.HybridCache<5 transformers.cache_utils.HybridCache<5 transformers.Gemma3ForConditionalGeneration>=4.50
transformers.GemmaForCausalLM>=4.38 transformers.LlamaForCausalLM>=4.28 transformers.LlamaTokenizer>=4.28
transformers.MistralForCausalLM>=4.34 transformers.MixtralForCausalLM>=4.36
transformers.models.llama.modeling_llama.LlamaFlashAttention2<4.48
transformers.Qwen2_5_VLForConditionalGeneration>=4.49 transformers.Qwen2ForCausalLM>=4.37
transformers.Qwen2VLForConditionalGeneration>=4.45 transformers.Qwen3ForCausalLM>=4.51 tweepy.StreamListener<4
tweepy.TweepError<4 typing_extensions.assert_never>=4.1 typing_extensions.Buffer>=4.6 typing_extensions.deprecated>=4.5
typing_extensions.Doc>=4.8 typing_extensions.evaluate_forward_ref>=4.13 typing_extensions.Never>=4.1
typing_extensions.NotRequired>=4 typing_extensions.override>=4.4 typing_extensions.ReadOnly>=4.9
typing_extensions.Self>=4 typing_extensions.Sentinel>=4.14 typing_extensions.TypeAliasType>=4.6
typing_extensions.TypeIs>=4.10 urllib3.contrib.appengine<2 urllib3.packages.six<2 urllib3.util.ssl_.DEFAULT_CIPHERS<2
websockets.additional_headers>=14 websockets.asyncio>=13 websockets.extra_headers<14 werkzeug.cached_property<1
werkzeug.contrib<1 werkzeug.FileStorage<1 werkzeug.secure_filename<1 werkzeug.security.safe_str_cmp<2.1
werkzeug.urls.url_decode<3 werkzeug.urls.url_encode<3 werkzeug.urls.url_join<3 werkzeug.urls.url_parse<3
werkzeug.urls.url_quote<3 werkzeug.urls.url_quote_plus<3 werkzeug.urls.url_unquote<3 werkzeug.utils.escape<2.1
werkzeug.wrappers.BaseRequest<2.1 werkzeug.wrappers.BaseResponse<2.1 werkzeug.wsgi.DispatcherMiddleware<1
werkzeug.wsgi.SharedDataMiddleware<1 flask.send_file:attachment_filename<2.2
flask.send_file:cache_timeout<2.2 gradio.Blocks.launch:enable_queue<4
gradio.Blocks.queue:concurrency_count<4 gradio.Image:source<4 gradio.Image:tool<4 httpx.AsyncClient:app<0.28
httpx.AsyncClient:proxies<0.28 httpx.Client:app<0.28 httpx.Client:proxies<0.28 httpx.get:proxies<0.28
httpx.post:proxies<0.28 jwt.decode!algorithms|options@2<2 langchain.agents.AgentExecutor<1 langchain.agents.AgentType<1
langchain.agents.initialize_agent<1 lightgbm.LGBMClassifier.fit:early_stopping_rounds<4
lightgbm.LGBMRegressor.fit:early_stopping_rounds<4 lightgbm.train:early_stopping_rounds<4
lightgbm.train:verbose_eval<4 matplotlib.pyplot.style.use:seaborn-darkgrid<3.8
matplotlib.pyplot.style.use:seaborn-white<3.8 matplotlib.pyplot.style.use:seaborn-whitegrid<3.8
matplotlib.pyplot.style.use:seaborn<3.8 moviepy.VideoClip.set_audio<2 moviepy.VideoClip.set_duration<2
moviepy.VideoClip.subclip<2 pandas.DataFrame.append:ignore_index<2 pandas.DataFrame.lookup<2
pandas.DataFrame.to_csv:line_terminator<2 pandas.date_range:closed<2 pandas.read_csv:error_bad_lines<2
pandas.read_csv:squeeze<2 pandas.read_csv:warn_bad_lines<2 pydantic.conlist:max_items<2 pydantic.conlist:min_items<2
pydantic.constr:regex<2 pydantic.Field:const<2 pydantic.Field:regex<2 pydantic.Field:unique_items<2
selenium.webdriver.Chrome.find_element_by_class_name<4.3 selenium.webdriver.Chrome.find_element_by_css_selector<4.3
selenium.webdriver.Chrome.find_element_by_id<4.3
selenium.webdriver.Chrome.find_element_by_name<4.3 selenium.webdriver.Chrome.find_element_by_tag_name<4.3
selenium.webdriver.Chrome.find_element_by_xpath<4.3 selenium.webdriver.Chrome.find_elements_by_class_name<4.3
selenium.webdriver.Chrome.find_elements_by_css_selector<4.3 selenium.webdriver.Chrome.find_elements_by_tag_name<4.3
selenium.webdriver.Chrome.find_elements_by_xpath<4.3 selenium.webdriver.Chrome:chrome_options<4.10
selenium.webdriver.Chrome:executable_path<4.10
selenium.webdriver.Firefox:executable_path<4.10 sklearn.ensemble.AdaBoostClassifier:base_estimator<1.4
sklearn.ensemble.BaggingClassifier:base_estimator<1.4 sklearn.feature_extraction.CountVectorizer.get_feature_names<1.2
sklearn.linear_model.LinearRegression:normalize<1.2
sklearn.linear_model.Ridge:normalize<1.2 sklearn.metrics.mean_squared_error:squared<1.6
sklearn.preprocessing.OneHotEncoder:sparse<1.4 spacy.load:en<3 sqlalchemy.create_engine.execute<2
sqlalchemy.MetaData:bind<2 tensorflow.keras.Model.fit_generator<2.16
tensorflow.keras.Model.predict_classes<2.6 tensorflow.keras.optimizers.Adam:decay<2.11
tensorflow.keras.optimizers.Adam:lr<2.16 tensorflow.keras.optimizers.SGD:lr<2.16
transformers.TrainingArguments:evaluation_strategy<4.46 xgboost.XGBClassifier.fit:early_stopping_rounds<2.1
xgboost.XGBRegressor.fit:early_stopping_rounds<2.1 yaml.load!Loader@1<6 yaml.load_all!Loader@1<6
pydantic.BaseSettings<2 flask.Blueprint.before_app_first_request<2.3 PIL.ImageFont.load_default:size>=10.1
polars.DataFrame.with_column<1 PyPDF2.PdfFileMerger<3 PyPDF2.PdfFileReader<3 PyPDF2.PdfFileWriter<3 rq.Connection<2
skimage.filters.gaussian:multichannel<0.22 skimage.restoration.denoise_bilateral:multichannel<0.22
skimage.restoration.denoise_nl_means:multichannel<0.22 sklearn.compose.ColumnTransformer.get_feature_names<1.2
sqlalchemy.orm.DeclarativeBase>=2 sqlalchemy.orm.Mapped>=2 sqlalchemy.orm.mapped_column>=2 langchain.hub<1
langchain.output_parsers<1 marshmallow.__version_info__<4 numpy.in1d<2.4 numpy.trapz<2.4 pandas.DataFrame.applymap<3
pandas.read_csv:delim_whitespace<3 starlette.applications.Starlette:on_startup<1
starlette.routing.Router:on_startup<1 torchaudio.info<2.9 torchaudio.io<2.9
`;

/** `<0.26` for `huggingface_hub.cached_download`, and for what is in it; undefined if it is not known. */
export function versionsWith(name: string): string | undefined {
  const parts = name.split('.');
  for (let length = 1; length <= parts.length; length++) {
    const bound = bounds().get(parts.slice(0, length).join('.'));
    if (bound !== undefined) return bound;
  }
  return undefined;
}

const bounds = once(
  () => new Map([...names.matchAll(/(\S+?)([<>]\S+)/g)].map(([, name = '', bound = '']) => [name, bound])),
);

/** `pandas.DataFrame` for what its instances have in some versions; undefined if it is not known. */
export function moduleOf(object: string, name: string): string | undefined {
  const entry = names.split(/\s+/).find((each) => each.replace(/[<>].*$/, '').endsWith(`.${object}.${name}`));
  return entry?.slice(0, entry.indexOf(`.${name}`));
}

/** `pandas.read_csv:squeeze` for a call of `read_csv`, or of a class, with a keyword that only some versions take. */
export function keywordOf(call: string, word: string): string | undefined {
  const end = `.${call.replace(/\.__init__$/, '')}:${word}`;
  return [...bounds().keys()].find((each) => each.endsWith(end));
}

/** What only some versions of a package allow of a call. */
export interface CallBound {
  module: string;
  bound: string;
  said: string;
}

/** Bounds by the whole name of what a call calls, or by the method of what is not known: `.subclip`. */
export function callBounds(call: PythonCall, isMethod: boolean): CallBound[] {
  const { name, arguments: given, keywords } = call;
  const words = [...Object.keys(keywords), ...given.flatMap((each) => each ?? [])];
  const last = name.slice(name.lastIndexOf('.') + 1);
  const keys = [last, ...words.map((word) => `${last}:${word}`)];
  return [
    ...words.flatMap((word) => exact(`${name}:${word}`, `gives ${word} to ${name}`)),
    ...(/\.[A-Z]\w*\.\w+$/.test(name) ? exact(name, `calls ${last}`) : []),
    ...(isMethod ? keys.flatMap((key) => methods().get(key) ?? []) : []),
    ...lackedBy(call),
  ];
}

function lackedBy({ name, arguments: given, keywords, isOpen }: PythonCall): CallBound[] {
  const need = needed().get(name);
  if (!need || isOpen || given.length > need.at || need.words.some((each) => each in keywords)) return [];
  return [{ module: name, said: `calls ${name} without ${need.words[0]}`, bound: need.bound }];
}

function exact(key: string, said: string): CallBound[] {
  const bound = bounds().get(key);
  return bound === undefined ? [] : [{ module: key, bound, said }];
}

/** Methods that other objects have, too. */
const usual = /^(?:append|execute|ix)$/;

const methods = once(() => {
  const found = new Map<string, CallBound[]>();
  for (const [key, bound] of bounds()) {
    const [, name] = /\.[A-Z]\w*\.([a-z]\w*(?::\w+)?)$/.exec(key) ?? [];
    const said = `calls ${name?.replace(':', ' with ')}`;
    if (name !== undefined && !usual.test(name))
      onceFor(found, name, () => [] as CallBound[]).push({ module: key, bound, said });
  }
  return found;
});

const needed = once(
  () =>
    new Map(
      [...bounds()].flatMap(([key, bound]) => {
        const [, name = '', words = '', at] = /^(.+)!(.+)@(\d)$/.exec(key) ?? [];
        return at === undefined ? [] : [[name, { words: words.split('|'), at: Number(at), bound }] as const];
      }),
    ),
);
